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

/// The same on the host and in the emulator, where it halves the time of compiling. On the device such a call
/// costs more than it saves: batches of 100,000 edges took 0.14 ms instead of 0.11 on an H200.
#if defined(__CUDACC__)
#define RZ_HOSTCALL
#else
#define RZ_HOSTCALL RZ_NOINLINE
#endif
