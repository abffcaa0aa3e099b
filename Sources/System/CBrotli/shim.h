// Brotli, of which only the encoder is needed here: libcurl decodes.
#pragma once
#include <brotli/encode.h>
