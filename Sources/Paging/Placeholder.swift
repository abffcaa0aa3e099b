enum PagingPlaceholder {}
