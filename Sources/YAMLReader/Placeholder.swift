enum YAMLReaderPlaceholder {}
