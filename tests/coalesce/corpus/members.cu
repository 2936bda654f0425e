//// case of_a_local_struct
// options: --whole-program
struct pair { int* a; int* b; int n; };
__global__ void k(int n) {
    pair s;
    s.n = n;
    s.a = (int*)malloc(s.n); // rewritten block
    s.b = (int*)malloc(s.n * 2); // rewritten block
    if (!s.a) return;
    free(s.a);
    free(s.b);
}
//// case assigned
// options: --whole-program
struct pair { int* a; int n, m; };
__global__ void k(int n) {
    pair s = {nullptr, n, (int)threadIdx.x};
    pair t;
    t = s;
    t.a = (int*)malloc(t.n); // rewritten block
    pair const u = t;
    free(malloc(u.n)); // rewritten block
    free(malloc(u.m)); // left: its arguments may differ
    free(u.a);
}
//// case assigned_in_some_threads
// options: --whole-program
struct pair { int* a; int n; };
__global__ void k(int n) {
    pair s = {nullptr, n};
    pair t = {nullptr, 2 * n};
    if (threadIdx.x < 3) s = t;
    free(malloc(s.n)); // left: its arguments may differ
}
//// case one_member_is_the_threads_own
// options: --whole-program
struct pair { int* a; int n; };
__global__ void k(int n) {
    pair s{nullptr, n};
    s.n = threadIdx.x;
    free(malloc(s.n)); // left: its arguments may differ
}
//// case by_its_address
// options: --whole-program
struct pair { int* a; int n; };
static __device__ void set(pair* p) { p->n = threadIdx.x; }
__global__ void k(int n) {
    pair s{nullptr, n};
    set(&s);
    free(malloc(s.n)); // left: whose address is taken
}
//// case by_the_address_of_a_member
// options: --whole-program
struct pair { int m; int n; };
__global__ void k(int n) {
    pair s{n, n};
    int* p = &s.m;
    p[1] = threadIdx.x;
    free(malloc(s.n)); // left: whose address is taken
}
//// case by_a_member_function
// options: --whole-program
struct pair { int n; __device__ void set() { n = threadIdx.x; } };
__global__ void k(int n) {
    pair s{n};
    s.set();
    free(malloc(s.n)); // left: whose address is taken
}
//// case by_a_lambda
// options: --whole-program
struct pair { int n; };
__global__ void k(int n) {
    pair s{n};
    auto const change = [&] { s.n = threadIdx.x; };
    change();
    free(malloc(s.n)); // left: which a lambda may change
}
//// case union_member
// options: --whole-program
union either { int n; float f; };
struct holder { either e; union { int m; unsigned bits; }; };
__global__ void k(int n) {
    either e;
    e.n = n;
    e.f = threadIdx.x;
    free(malloc(e.n)); // left:
    holder h{};
    h.e.n = n;
    h.e.f = threadIdx.x;
    free(malloc(h.e.n)); // left: its arguments may differ
    h.m = n;
    h.bits = threadIdx.x;
    free(malloc(h.m)); // left: its arguments may differ
}
//// case without_a_value
// options: --whole-program
struct pair { int* a; int n; };
__global__ void k(int n) {
    pair s;
    if (n > 3) s.n = n;
    free(malloc(s.n)); // left: which is declared without a value
}
//// case nested
// options: --whole-program
struct inner { int n; };
struct outer { inner i; int n; };
__global__ void k(int n) {
    outer o{};
    o.i.n = n;
    o.n = threadIdx.x;
    free(malloc(o.i.n)); // rewritten block
    free(malloc(o.n)); // left: its arguments may differ
}
//// case initialised_in_the_class
// options: --whole-program
struct pair { int n = threadIdx.x; int m = 3; };
__global__ void k(int n) {
    pair s;
    free(malloc(s.n)); // left:
}
//// case assigned_behind_its_declaration
// options: --whole-program
__global__ void k(int n) {
    int size;
    int i;
    size = n * 4;
    for (i = 0; i < n; ++i) free(malloc(size)); // rewritten block
    int rank;
    rank = threadIdx.x;
    free(malloc(rank)); // left: its arguments may differ
}
//// case assigned_in_a_case
// options: --whole-program
__global__ void k(int n) {
    switch (n) {
        int size;
    case 0: size = n;
    default: free(malloc(size)); // left: which is declared without a value
    }
}
