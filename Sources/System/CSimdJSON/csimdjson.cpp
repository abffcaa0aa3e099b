// A body is validated in two passes.
//
// The first is simdjson's stage 1: with SIMD instructions it checks UTF-8, that quotes pair up and that strings hold no
// control characters, and it lists the offset of every structural byte: { } [ ] : , and the first byte of every string
// and scalar.
//
// The second is here, in place of simdjson's own stage 2. That one writes a tape with every string unescaped and every
// number converted, which nobody reads (a gateway passes bytes through), and which costs 10 bytes of memory a byte of
// body; and since it has to convert, it refuses what is JSON: integers above 2^64, 1e400, and the escape of half a
// surrogate pair. This pass checks the same grammar (RFC 8259), and leaves what navigation needs: which bracket closes
// which.
#include "csimdjson.h"

#include <cstring>
#include <memory>
#include <new>
#include <simdjson.h>

static_assert(LISTWAY_JSON_PADDING >= simdjson::SIMDJSON_PADDING, "simdjson reads this far behind a body");

#define ALWAYS_INLINE __attribute__((always_inline)) inline

namespace {

using Implementation = simdjson::internal::dom_parser_implementation;

/// For bodies up to this size memory is kept from one body to the next, four bytes for each of theirs.
constexpr size_t kept_capacity = size_t{1} << 20;
constexpr size_t smallest_capacity = size_t{1} << 14;

/// A bracket that is not closed yet.
struct Open {
  uint32_t entry;
  /// How many elements of the bracket around it have begun.
  uint32_t elements_around;
  bool is_array;
};

inline uint64_t from_little_endian(uint64_t word) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return __builtin_bswap64(word);
#else
  return word;
#endif
}

enum Class : uint8_t { separator = 1, hexadecimal = 2, escape = 4 };

struct Classes {
  uint8_t of[256] = {};
  constexpr Classes() {
    for (unsigned c = '0'; c <= '9'; ++c) of[c] |= hexadecimal;
    for (unsigned c = 'a'; c <= 'f'; ++c) of[c] |= hexadecimal;
    for (unsigned c = 'A'; c <= 'F'; ++c) of[c] |= hexadecimal;
    for (char c : {' ', '\t', '\n', '\r', ',', ':', '[', ']', '{', '}'}) of[static_cast<uint8_t>(c)] |= separator;
    for (char c : {'"', '\\', '/', 'b', 'f', 'n', 'r', 't'}) of[static_cast<uint8_t>(c)] |= escape;
  }
};
constexpr Classes classes;

inline bool is(uint8_t byte, Class wanted) { return classes.of[byte] & wanted; }

/// Behind the digits that start at `p`. Eight at a time: a loop over single digits mispredicts its end every time.
ALWAYS_INLINE const uint8_t *behind_digits(const uint8_t *p) {
  for (;;) {
    uint64_t word;
    std::memcpy(&word, p, sizeof word);
    word = from_little_endian(word) ^ 0x3030303030303030;
    // The lowest byte with its high bit set is the first that is no digit; carries spoil only the bytes above it.
    const uint64_t others = (word | (word + 0x7676767676767676)) & 0x8080808080808080;
    if (others != 0) return p + __builtin_ctzll(others) / 8;
    p += 8;
  }
}

/// Whether a number starts at `p` and a separator follows it. Stops at the padding at the latest.
ALWAYS_INLINE bool is_number(const uint8_t *p) {
  p += *p == '-';
  const uint8_t *q = behind_digits(p);
  if (q == p || (*p == '0' && q != p + 1)) return false;
  if (is(*q, separator)) return true;
  if (*q == '.') {
    p = q + 1;
    q = behind_digits(p);
    if (q == p) return false;
  }
  if ((*q | 0x20) == 'e') {
    p = q + 1;
    p += *p == '+' || *p == '-';
    q = behind_digits(p);
    if (q == p) return false;
  }
  return is(*q, separator);
}

/// Whether a number, true, false or null starts at `p`, whose first byte is `byte`, and a separator follows it.
ALWAYS_INLINE bool is_scalar(uint8_t byte, const uint8_t *p) {
  if (byte <= '9') return is_number(p);
  if (byte == 't') return std::memcmp(p, "true", 4) == 0 && is(p[4], separator);
  if (byte == 'n') return std::memcmp(p, "null", 4) == 0 && is(p[4], separator);
  if (byte == 'f') return std::memcmp(p + 1, "alse", 4) == 0 && is(p[5], separator);
  return false;
}

/// Whether every backslash begins an escape of RFC 8259 §7.
///
/// Outside of strings a backslash cannot begin or continue any scalar, so the grammar pass refuses those itself.
bool escapes_are_valid(const uint8_t *p, const uint8_t *end) {
  while ((p = static_cast<const uint8_t *>(std::memchr(p, '\\', static_cast<size_t>(end - p)))) != nullptr) {
    do {
      if (is(p[1], escape)) {
        p += 2;
      } else if (p[1] == 'u' && is(p[2], hexadecimal) && is(p[3], hexadecimal) && is(p[4], hexadecimal)
                 && is(p[5], hexadecimal)) {
        p += 6;
      } else {
        return false;
      }
      if (p >= end) return p == end;
    } while (*p == '\\');
  }
  return true;
}

}  // namespace

struct listway_json_parser {
  std::unique_ptr<Implementation> implementation;
  std::unique_ptr<Open[]> stack;
  uint32_t maximum_depth = 0;
};

listway_json_parser *listway_json_parser_make(uint32_t maximum_depth) {
  std::unique_ptr<listway_json_parser> parser{new (std::nothrow) listway_json_parser};
  if (!parser) return nullptr;
  parser->stack.reset(new (std::nothrow) Open[size_t{maximum_depth} + 1]);
  parser->maximum_depth = maximum_depth;
  return parser->stack ? parser.release() : nullptr;
}

void listway_json_parser_free(listway_json_parser *parser) { delete parser; }

void listway_json_parser_trim(listway_json_parser *parser) {
  if (parser->implementation && parser->implementation->capacity() > kept_capacity) parser->implementation.reset();
}

listway_json_verdict listway_json_index(
    listway_json_parser *parser, const uint8_t *bytes, size_t length, uint32_t *count) {
  auto &implementation = parser->implementation;
  if (!implementation || implementation->capacity() < length) {
    // What is kept grows by doubling, so that slowly growing bodies do not allocate again and again.
    size_t capacity = smallest_capacity;
    while (capacity < length && capacity < kept_capacity) capacity *= 2;
    if (capacity < length) capacity = length;
    implementation.reset();
    if (simdjson::get_active_implementation()->create_dom_parser_implementation(capacity, 1, implementation)) {
      implementation.reset();
      return listway_json_no_memory;
    }
  }
  switch (implementation->stage1(bytes, length, simdjson::stage1_mode::regular)) {
  case simdjson::SUCCESS:
    *count = implementation->n_structural_indexes;
    return listway_json_valid;
  case simdjson::CAPACITY:
  case simdjson::MEMALLOC:
    return listway_json_no_memory;
  default:
    return listway_json_unproven;
  }
}

listway_json_verdict listway_json_link(
    listway_json_parser *parser, const uint8_t *bytes, size_t length, uint32_t base, uint32_t *offsets,
    uint32_t *links) {
  const uint32_t *const indexes = parser->implementation->structural_indexes.get();
  const size_t count = parser->implementation->n_structural_indexes;
  Open *const bottom = parser->stack.get();
  Open *const top = bottom + parser->maximum_depth;
  Open *open = bottom;    // points behind the innermost open bracket
  size_t entry = 0;       // the structural byte being looked at
  uint32_t elements = 0;  // how many elements or members of the innermost bracket have begun

  auto byte_at = [&](size_t at) __attribute__((always_inline)) { return bytes[indexes[at]]; };

  // Each state first makes sure of the entries that it looks at. It may ask for those that any valid rest has: within a
  // bracket at least the closing one is to come.
  switch (byte_at(0)) {
  case '{': goto object;
  case '[': goto array;
  // A lone scalar ends where the body ends, perhaps not at a separator. Rare: the caller's scanner decides.
  default: return listway_json_unproven;
  }

array:
  if (open == top || count - entry < 2) return listway_json_unproven;
  *open++ = Open{static_cast<uint32_t>(entry), elements, true};
  elements = 0;
  ++entry;
  if (byte_at(entry) == ']') goto close;
element:
  if (count - entry < 2) return listway_json_unproven;
  ++elements;
  switch (const uint8_t byte = byte_at(entry)) {
  case '{': goto object;
  case '[': goto array;
  case '"': break;
  default:
    if (!is_scalar(byte, bytes + indexes[entry])) return listway_json_unproven;
  }
  ++entry;
after_element:
  switch (byte_at(entry)) {
  case ',':
    ++entry;
    goto element;
  case ']': goto close;
  default: return listway_json_unproven;
  }

object:
  if (open == top || count - entry < 2) return listway_json_unproven;
  *open++ = Open{static_cast<uint32_t>(entry), elements, false};
  elements = 0;
  ++entry;
  if (byte_at(entry) == '}') goto close;
member:
  if (count - entry < 4) return listway_json_unproven;
  if (byte_at(entry) != '"' || byte_at(entry + 1) != ':') return listway_json_unproven;
  ++elements;
  entry += 2;
  switch (const uint8_t byte = byte_at(entry)) {
  case '"': break;
  case '{': goto object;
  case '[': goto array;
  default:
    if (!is_scalar(byte, bytes + indexes[entry])) return listway_json_unproven;
  }
  ++entry;
after_member:
  switch (byte_at(entry)) {
  case ',':
    ++entry;
    goto member;
  case '}': goto close;
  default: return listway_json_unproven;
  }

close:
  --open;
  links[open->entry] = static_cast<uint32_t>(entry);
  links[entry] = elements;
  elements = open->elements_around;
  ++entry;
  if (open != bottom) {
    if (entry == count) return listway_json_unproven;
    if (open[-1].is_array) goto after_element;
    goto after_member;
  }
  if (entry != count || !escapes_are_valid(bytes, bytes + length)) return listway_json_unproven;
  for (size_t at = 0; at < count; ++at) offsets[at] = indexes[at] + base;
  offsets[count] = static_cast<uint32_t>(base + length);
  return listway_json_valid;
}
