// The macros of the house.
#pragma once

/// Marks functions that run on the host and on the device.
#if defined(__CUDACC__)
#define RZ_HD __host__ __device__
#else
#define RZ_HD
#endif

/// Marks functions that are seldom called and long: compiled once, not into every kernel that may call them.
/// Their parameters are values: a reference would keep what it refers to out of the caller's registers.
#define RZ_NOINLINE [[gnu::noinline]]
