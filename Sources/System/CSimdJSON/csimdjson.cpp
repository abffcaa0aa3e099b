#include "csimdjson.h"
int listway_json_placeholder(void) { return 0; }
