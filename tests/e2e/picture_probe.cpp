// Preloaded into all programs by the end-to-end test: appends a line to $INGLE_PICTURE_PROBE whenever a
// program begins to decode a picture, "<program> <format>". The file is opened at the start, since most of
// them cannot open any later.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

int s_log = -1;

__attribute__((constructor)) void start() {
    if (const char* path = std::getenv("INGLE_PICTURE_PROBE"))
        s_log = ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

void note(const char* format) {
    char line[200];
    const int count = std::snprintf(line, sizeof line, "%s %s\n", program_invocation_short_name, format);
    if (s_log >= 0 && ::write(s_log, line, static_cast<size_t>(count)) < 0) std::abort();
}

/// The library's own function behind this one.
template <typename Function>
Function* next(Function*, const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

// What every reader of these formats calls first, with the types that matter for passing them on.
extern "C" {

[[gnu::visibility("default")]] void* png_create_read_struct(const char* version, void* a, void* b, void* c) {
    note("PNG");
    return next(png_create_read_struct, "png_create_read_struct")(version, a, b, c);
}
[[gnu::visibility("default")]] void jpeg_CreateDecompress(void* info, int version, size_t size) {
    note("JPEG");
    next(jpeg_CreateDecompress, "jpeg_CreateDecompress")(info, version, size);
}
[[gnu::visibility("default")]] void* WebPDemuxInternal(const void* data, int partial, void* state,
                                                       int version) {
    note("WebP");
    return next(WebPDemuxInternal, "WebPDemuxInternal")(data, partial, state, version);
}
}
