enum OpenSSLSealerPlaceholder {}
