enum MicrohttpdServerPlaceholder {}
