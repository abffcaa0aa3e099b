#pragma once
int listway_json_placeholder(void);
