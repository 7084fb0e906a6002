#include "app/protocol/framing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "ingle/file_descriptor.h"

namespace ingle::protocol {
namespace {

using nlohmann::json;

Status writeAll(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return fail(ErrorCode::Io, "Cannot write a long request: {}.", std::strerror(errno));
        bytes.remove_prefix(static_cast<size_t>(written));
    }
    return {};
}

Result<std::string> readSpoolFile(const std::string& path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status {};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
        return fail(ErrorCode::Io, "Cannot read the request file {}: {}.", path, std::strerror(errno));
    }
    if (!S_ISREG(status.st_mode) || static_cast<uint64_t>(status.st_size) > kMaxFileBytes) {
        return fail(ErrorCode::Corrupt, "{} is not a request file: {} bytes.", path, status.st_size);
    }
    std::string text(static_cast<size_t>(status.st_size), '\0');
    size_t filled = 0;
    while (filled < text.size()) {
        const ssize_t count = ::read(file.get(), text.data() + filled, text.size() - filled);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            return fail(ErrorCode::Io, "Cannot read the request file {}: {}.", path, std::strerror(errno));
        }
        if (count == 0) break;
        filled += static_cast<size_t>(count);
    }
    text.resize(filled);
    return text;
}

/// The path in a {"file": path} line. The prefix test keeps ordinary requests from being parsed twice.
std::optional<std::string> spooledPath(std::string_view line) {
    if (!line.starts_with("{\"file\"")) return std::nullopt;
    const json object = json::parse(line, nullptr, false);
    if (!object.is_object() || object.size() != 1) return std::nullopt;
    const auto file = object.find("file");
    if (file == object.end() || !file->is_string()) return std::nullopt;
    return file->get<std::string>();
}

}  // namespace

Result<std::string> frameRequest(const Request& request, const std::string& spoolDir) {
    std::string line = encode(request);
    if (line.size() <= kMaxLineBytes) return line;
    if (line.size() > kMaxFileBytes) {
        return fail(ErrorCode::InvalidArgument, "The request is too long: {} bytes of at most {}.",
                    line.size(), kMaxFileBytes);
    }
    std::string path = spoolDir + "/request-XXXXXX";
    const FileDescriptor file(::mkostemp(path.data(), O_CLOEXEC));
    if (file.get() < 0) {
        return fail(ErrorCode::Io, "Cannot create a file in {}: {}.", spoolDir, std::strerror(errno));
    }
    if (auto written = writeAll(file.get(), line); !written) {
        ::unlink(path.c_str());
        return tl::unexpected(std::move(written).error());
    }
    return json{{"file", path}}.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Request> unframeRequest(std::string_view line) {
    const auto path = spooledPath(line);
    if (!path) return decodeRequest(line);
    auto text = readSpoolFile(*path);
    if (!text) return tl::unexpected(std::move(text).error());
    // The file holds private conversation text: it goes even when that cannot be decoded.
    ::unlink(path->c_str());
    return decodeRequest(*text);
}

void LineSplitter::append(std::string_view bytes) {
    m_pending.erase(0, m_start);
    m_scanned -= m_start;
    m_start = 0;
    if (m_skipping) {
        const size_t end = bytes.find('\n');
        if (end == std::string_view::npos) return;
        bytes.remove_prefix(end);
        m_skipping = false;
    }
    m_pending += bytes;
}

std::optional<Result<std::string>> LineSplitter::next() {
    m_start = std::min(m_pending.find_first_not_of('\n', m_start), m_pending.size());
    m_scanned = std::max(m_scanned, m_start);
    const size_t end = std::min(m_pending.find('\n', m_scanned), m_pending.size());
    const size_t begin = m_start;
    m_scanned = end;
    if (end - begin > kMaxLineBytes) {
        m_skipping = end == m_pending.size();
        m_start = end;
        return fail(ErrorCode::InvalidArgument, "A line of the host protocol is longer than {} bytes.",
                    kMaxLineBytes);
    }
    if (end == m_pending.size()) return std::nullopt;
    m_start = end;
    return m_pending.substr(begin, end - begin);
}

}  // namespace ingle::protocol
