// A body's structural index, validated: simdjson behind a C interface. See csimdjson.cpp for how and why.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How many bytes must be readable behind the last byte of a body. Their values do not matter.
#define LISTWAY_JSON_PADDING 64

/// simdjson's memory and a stack of open brackets. Belongs to one thread at a time.
typedef struct listway_json_parser listway_json_parser;

typedef enum listway_json_verdict {
  listway_json_valid = 0,
  /// Not JSON, or deeper than the limit, or a lone scalar: the caller looks closer.
  listway_json_unproven = 1,
  /// simdjson could not get memory, or cannot index so many bytes.
  listway_json_no_memory = 2,
} listway_json_verdict;

/// A parser that accepts `maximum_depth` brackets within one another; null without memory.
listway_json_parser *listway_json_parser_make(uint32_t maximum_depth);
void listway_json_parser_free(listway_json_parser *parser);

/// Gives back the memory that an unusually long body took.
void listway_json_parser_trim(listway_json_parser *parser);

/// Finds the structural bytes of `bytes`, and checks UTF-8, quotes, and control characters in strings.
///
/// `length` is below 4 GiB. On success `*count` is the number of structural bytes, at least one.
listway_json_verdict listway_json_index(
    listway_json_parser *parser, const uint8_t *bytes, size_t length, uint32_t *count);

/// Checks the grammar of what the last successful call of `listway_json_index` saw, and writes its index.
///
/// `offsets` has room for `count + 1` numbers: the offset of every structural byte and `length`, with `base` added to
/// each. `links` has room for `count`: that of an opening bracket is the number of its closing bracket, that of a closing
/// bracket is how many elements or members it closes, and the others are not written. Both are only of use when the
/// verdict is `listway_json_valid`.
listway_json_verdict listway_json_link(
    listway_json_parser *parser, const uint8_t *bytes, size_t length, uint32_t base, uint32_t *offsets,
    uint32_t *links);

#ifdef __cplusplus
}
#endif
