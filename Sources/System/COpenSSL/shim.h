// libcrypto, as far as sealing cursors needs it.
#pragma once
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>
