// Programs under the leak checker unload nothing: what a graphics driver keeps for itself until the process
// ends is lost with the driver's own variables when that is unloaded, and would count as a leak of ours (128
// bytes of Mesa 22.3's software driver on some processors).
#include <dlfcn.h>

extern "C" [[gnu::visibility("default")]] int dlclose(void* /*handle*/) noexcept {
    return 0;
}
