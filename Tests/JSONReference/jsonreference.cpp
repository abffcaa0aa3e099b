#include "jsonreference.h"

#include <simdjson.h>

listway_reference_verdict listway_reference_parse(const uint8_t *bytes, size_t length) {
  static thread_local simdjson::dom::parser parser;
  switch (parser.parse(bytes, length).error()) {
  case simdjson::SUCCESS: return listway_reference_valid;
  case simdjson::NUMBER_ERROR: return listway_reference_number;
  case simdjson::STRING_ERROR: return listway_reference_string;
  default: return listway_reference_invalid;
  }
}
