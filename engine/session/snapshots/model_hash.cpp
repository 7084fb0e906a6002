#include "engine/session/snapshots/model_hash.h"

#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "engine/io/atomic_file.h"

namespace ingle::session {
namespace {

constexpr size_t kReadBytes = size_t{1} << 20;
constexpr size_t kHexDigits = 32;

/// What must be equal for two files to count as the same without reading them; "" when one cannot be asked.
std::string identity(const std::vector<io::Source>& files) {
    std::string text;
    for (const io::Source& file : files) {
        struct stat status {};
        if (::fstat(file.descriptor(), &status) != 0) return "";
        text += fmt::format("{}-{}-{}-{}.{};", status.st_dev, status.st_ino, status.st_size,
                            status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    }
    return text;
}

std::string hex(XXH128_hash_t hash) {
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

/// The hash of the files' contents, one after the other; nothing when interrupted or unreadable.
std::optional<std::string> hashContents(const std::vector<io::Source>& files, const std::atomic<bool>& stop) {
    const auto buffer = std::make_unique<std::byte[]>(kReadBytes);
    const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                                XXH3_freeState);
    if (!state) return std::nullopt;
    XXH3_128bits_reset(state.get());
    for (const io::Source& file : files) {
        for (off_t at = 0;;) {
            if (stop) return std::nullopt;
            const ssize_t count = ::pread(file.descriptor(), buffer.get(), kReadBytes, at);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) return std::nullopt;
            if (count == 0) break;
            XXH3_128bits_update(state.get(), buffer.get(), static_cast<size_t>(count));
            at += count;
        }
    }
    return hex(XXH3_128bits_digest(state.get()));
}

}  // namespace

ModelHash::ModelHash(std::vector<io::Source> files, std::string folder) : m_files(std::move(files)) {
    const std::string id = identity(m_files);
    if (id.empty()) return;
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    const std::string cachePath = fmt::format("{}/{}", folder, hex(XXH3_128bits(id.data(), id.size())));
    std::ifstream file(cachePath, std::ios::binary);
    std::string known(kHexDigits + 1, '\0');  // one more, to see that no more follows
    file.read(known.data(), static_cast<std::streamsize>(known.size()));
    known.resize(static_cast<size_t>(file.gcount()));
    if (known.size() == kHexDigits) {
        m_hex.emplace(known.data(), kHexDigits);
        return;
    }
    m_worker = std::thread([this, cachePath] { compute(cachePath); });
}

ModelHash::~ModelHash() {
    m_stop = true;
    if (m_worker.joinable()) m_worker.join();
}

std::optional<std::string> ModelHash::get() const {
    const std::scoped_lock lock(m_mutex);
    return m_hex;
}

void ModelHash::compute(const std::string& cachePath) {
    const std::string before = identity(m_files);
    const auto hash = hashContents(m_files, m_stop);
    if (!hash || identity(m_files) != before) return;
    {
        const std::scoped_lock lock(m_mutex);
        m_hex = hash;
    }
    // Last, so that whoever sees the file knows that the hash is there. Not being able to remember it costs
    // the work again at the next start.
    if (auto file = io::AtomicFile::create(cachePath)) {
        if ((*file)->write(std::as_bytes(std::span(*hash)))) (void)(*file)->commit();
    }
}

}  // namespace ingle::session
