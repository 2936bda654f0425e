// options:
// Code of other files frees with CUDA's free, which must not get a coalesced pointer.
__device__ int* kept;
struct node { node* next; int value; };
__global__ void stays(int n) {
    int* p = static_cast<int*>(malloc(n * sizeof(int))); // rewritten block
    if (p != nullptr)
        for (int i = 0; i < n; ++i) p[i] = i;
    free(p);
}
__global__ void stored(void** out) { out[threadIdx.x] = malloc(8); } // left: it is stored in memory
__global__ void stored_later(void** out) {
    void* p = malloc(8); // left: it is stored in memory
    out[threadIdx.x] = p;
}
__global__ void exchanged(unsigned long long* out) {
    void* p = malloc(8); // left: converted to another type
    atomicExch(out, reinterpret_cast<unsigned long long>(p));
}
__global__ void global() { kept = static_cast<int*>(malloc(8)); } // left: it is stored in memory
__global__ void in_a_node(int n) {
    node* p = static_cast<node*>(malloc(sizeof(node))); // rewritten block
    if (p != nullptr) p->value = n;
    free(p);
}
__global__ void linked(node* list) {
    node* p = static_cast<node*>(malloc(sizeof(node))); // left: it is stored in memory
    list->next = p;
}
__device__ void fill(int* p, int n) {
    for (int i = 0; p != nullptr && i < n; ++i) p[i] = i;
}
__device__ void keep(int* p) { kept = p; }
__global__ void passed(int n) {
    int* p = static_cast<int*>(malloc(n)); // rewritten block
    fill(p, n);
    free(p);
}
__global__ void passed_and_kept(int n) {
    int* p = static_cast<int*>(malloc(n)); // left: it is stored in memory
    keep(p);
}
__device__ void* returned(int n) { return malloc(n); } // rewritten block
__global__ void receives(int n) { free(returned(n)); }
__device__ void* returned_and_kept(int n) { return malloc(n); } // left: it is stored in memory
__global__ void receives_and_keeps(int n) { kept = static_cast<int*>(returned_and_kept(n)); }
__global__ void address_of_it(int n) {
    void* p = malloc(n); // left: the address of the variable that holds it is taken
    void** q = &p;
    free(*q);
}
__global__ void captured(int n) {
    void* p = malloc(n); // left: the address of the variable that holds it is taken
    auto const get = [&] { return p; };
    free(get());
}
__global__ void offset(int n) {
    char* p = static_cast<char*>(malloc(n)); // rewritten block
    char* q = p + 1;
    if (p) q[0] = 1;
    free(q - 1);
}
