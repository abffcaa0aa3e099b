// simdjson's own whole parser, for tests to compare with.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum listway_reference_verdict {
  listway_reference_valid,
  listway_reference_invalid,
  /// A number that it cannot hold, or that is none.
  listway_reference_number,
  /// An escape that is half a surrogate pair, or that is none.
  listway_reference_string,
} listway_reference_verdict;

/// What simdjson's document parser says of `bytes`, up to 1,000 brackets deep.
listway_reference_verdict listway_reference_parse(const uint8_t *bytes, size_t length);

#ifdef __cplusplus
}
#endif
