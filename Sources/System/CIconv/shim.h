// The character set conversion of the C library, which Swift's Glibc module leaves out.
#pragma once
#include <errno.h>
#include <iconv.h>
#include <stdint.h>

// iconv_open answers its failure with -1 as a pointer, which no comparison in Swift should have to spell.
static inline iconv_t listway_iconv_open(const char *from) {
  iconv_t descriptor = iconv_open("UTF-8", from);
  return descriptor == (iconv_t)-1 ? 0 : descriptor;
}

// Converts as much as fits: 0 when all of the input is converted, else the error number. With a null input the end of the
// text is written, where the character set has one.
static inline int listway_iconv(
  iconv_t descriptor, char **input, size_t *input_left, char **output, size_t *output_left) {
  errno = 0;
  return iconv(descriptor, input, input_left, output, output_left) == (size_t)-1 ? errno : 0;
}
