enum HTTPSemanticsPlaceholder {}
