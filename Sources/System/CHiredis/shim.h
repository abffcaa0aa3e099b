// hiredis and its asynchronous interface.
#pragma once
#include <hiredis/async.h>
#include <hiredis/hiredis.h>
