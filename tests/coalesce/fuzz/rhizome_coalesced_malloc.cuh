// In place of the real header: static calls are recorded. fuzz_runtime.hpp has all of it.
