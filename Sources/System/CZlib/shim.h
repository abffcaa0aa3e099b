// zlib, and what of it is a macro that Swift does not see.
#pragma once
#include <zlib.h>

// Deflate without a header and a trailer: they are the caller's to write.
static inline int listway_deflate_init(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL - 1, Z_DEFAULT_STRATEGY);
}
