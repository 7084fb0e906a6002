// Preloaded into programs that are to find no Vulkan loader.
#include <dlfcn.h>

#include <cstring>

extern "C" __attribute__((visibility("default"))) void* dlopen(const char* name, int flags) {
    if (name && std::strstr(name, "libvulkan.so")) return nullptr;
    static const auto real = reinterpret_cast<void* (*)(const char*, int)>(::dlsym(RTLD_NEXT, "dlopen"));
    return real(name, flags);
}
