enum CurlClientPlaceholder {}
