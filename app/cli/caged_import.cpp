#include "app/cli/caged_import.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <optional>

#include "app/cli/confinement.h"
#include "app/cli/fresh_file.h"
#include "app/cli/host/bus_error.h"
#include "app/library/library.h"
#include "app/protocol/framing.h"
#include "app/sandbox/hidden_places.h"
#include "engine/import/import.h"

namespace ingle::cli {
namespace {

/// A name for a file: of what is no part of a name on some system, nothing.
std::string fileName(const std::string& name) {
    constexpr std::string_view kForbidden = "/\\:*?\"<>|";
    constexpr size_t kMostBytes = 120;
    std::string made;
    for (const char c : name.substr(0, kMostBytes))
        made += static_cast<unsigned char>(c) < 0x20 || kForbidden.find(c) != kForbidden.npos ? '-' : c;
    made.erase(0, std::min(made.find_first_not_of(". "), made.size()));
    return made.empty() ? "model" : made;
}

/// The new file is named after the model and what becomes of it; a number stands behind where there is one
/// already. The folder is there.
std::string targetOf(const protocol::Import& request) {
    std::error_code error;
    const std::string stem = fmt::format("{}/{}-{}", request.folder, fileName(request.name), request.quant);
    std::string target = stem + ".gguf";
    for (int number = 2; std::filesystem::exists(target, error); ++number)
        target = fmt::format("{}-{}.gguf", stem, number);
    return target;
}

/// Who asks may have been taken over: of what is hidden only this program's own folder.
bool mayHoldModels(const std::string& folder) {
    namespace fs = std::filesystem;
    std::error_code unknown;
    if (!sandbox::isHiddenPlace(fs::absolute(folder))) return true;
    const fs::path own = fs::weakly_canonical(library::defaultDataDir() + "/models", unknown);
    const auto relative = fs::weakly_canonical(folder, unknown).lexically_relative(own);
    return !relative.empty() && *relative.begin() != "..";
}

/// Whether the other end still listens.
bool tell(int events, protocol::EventBody body) {
    const auto line = protocol::frame(protocol::encode(protocol::Event{1, std::move(body)}));
    return line &&
           ::send(events, line->data(), line->size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line->size());
}

/// In the process that is caged. Whether there is a new file; if not, why was told.
bool import(const protocol::Import& request, const FreshFolder& fresh, int events) {
    reportBusErrors(events);
    nameFileForBusErrors(request.path);
    bool isHeard = true;
    const auto progress = [&](double fraction, const char* phase) {
        isHeard = isHeard && tell(events, protocol::Progress{fraction, phase, {}});
    };
    const auto isCancelled = [&] {
        pollfd closed{events, POLLRDHUP, 0};
        return !isHeard || ::poll(&closed, 1, 0) == 1;
    };
    Status done = confineImport({request.path}, fresh.path());
    if (done)
        done = importer::importModel({.source = request.path,
                                      .target = fresh.file(),
                                      .replaces = {},
                                      .quant = request.quant,
                                      .tensorTypes = {},
                                      .importance = {}},
                                     {.progress = progress, .notice = nullptr, .isCancelled = isCancelled});
    if (!done) tell(events, protocol::Failed{fresh.inWordsOfTarget(done.error()), {}});
    return done.has_value();
}

/// Whether there is a new file; if not, why was told.
bool makeFile(const protocol::Import& request, int events) {
    const std::string target = targetOf(request);
    const auto fresh = FreshFolder::beside(target);
    if (!fresh) {
        tell(events, protocol::Failed{fresh.error(), {}});
        return false;
    }
    const pid_t caged = ::fork();
    if (caged == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::_exit(import(request, **fresh, events) ? 0 : 1);
    }
    int status = 1;
    while (caged > 0 && ::waitpid(caged, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) return false;
    const Status moved = (*fresh)->moveToTarget();
    std::error_code unknown;
    tell(events,
         moved ? protocol::EventBody(protocol::Imported{target, std::filesystem::file_size(target, unknown)})
               : protocol::Failed{moved.error(), {}});
    return moved.has_value();
}

}  // namespace

void importInCage(const protocol::Import& request, int events) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (!mayHoldModels(request.folder)) {
        const Error failed{ErrorCode::Io,
                           fmt::format("{}: no model is written to hidden folders", request.folder)};
        tell(events, protocol::Failed{failed, {}});
        return;
    }
    const bool isMade = fs::create_directories(request.folder, error);
    if (error) {
        const Error failed{ErrorCode::Io,
                           fmt::format("{}: the folder cannot be made: {}", request.folder, error.message())};
        tell(events, protocol::Failed{failed, {}});
        return;
    }
    ::signal(SIGCHLD, SIG_DFL);
    const bool isWritten = makeFile(request, events);
    if (isMade && !isWritten) fs::remove(request.folder, error);  // only where it is empty
}

Result<protocol::Imported> followImport(int events, const ProgressFn& progress,
                                        const std::function<bool()>& isCancelled) {
    constexpr int kGlanceMs = 50;
    protocol::MessageReader messages;
    std::optional<Result<protocol::Imported>> last;
    std::array<char, 4096> buffer;
    bool isEnding = false;
    for (;;) {
        if (!isEnding && isCancelled()) {
            isEnding = true;
            ::shutdown(events, SHUT_WR);
        }
        pollfd ready{events, POLLIN, 0};
        if (::poll(&ready, 1, kGlanceMs) <= 0) continue;
        const ssize_t count = ::read(events, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        messages.append({buffer.data(), static_cast<size_t>(count)});
        while (auto message = messages.next()) {
            if (!*message) return tl::unexpected(message->error());
            INGLE_TRY_ASSIGN(protocol::Event event, protocol::decodeEvent(**message));
            if (auto* done = std::get_if<protocol::Imported>(&event.body)) last = std::move(*done);
            if (auto* failed = std::get_if<protocol::Failed>(&event.body))
                last = tl::unexpected(std::move(failed->error));
            if (const auto* told = std::get_if<protocol::Progress>(&event.body))
                progress(told->fraction, told->phase.c_str());
        }
    }
    if (last) return std::move(*last);
    return fail(ErrorCode::Io, "The process that makes the model smaller ended without a word.");
}

}  // namespace ingle::cli
