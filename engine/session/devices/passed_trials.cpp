#include "engine/session/devices/passed_trials.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <span>

#include "engine/io/atomic_file.h"
#include "ingle/sha256.h"

namespace ingle::session {
namespace {

constexpr size_t kMostTrials = 256;

/// Which build of this program runs.
std::string programIdentity() {
    struct stat program = {};
    if (::stat("/proc/self/exe", &program) != 0) return {};
    return fmt::format("{} {}.{}", program.st_size, program.st_mtim.tv_sec, program.st_mtim.tv_nsec);
}

std::string keyOfTrial(std::string_view trial) {
    return sha256Hex(fmt::format("{}\n{}", programIdentity(), trial));
}

}  // namespace

PassedTrials::PassedTrials(const std::string& folder, std::string_view name)
    : m_path(folder.empty() ? std::string() : fmt::format("{}/{}", folder, name)) {
    if (m_path.empty()) return;
    std::ifstream file(m_path);
    for (std::string line; m_trials.size() < kMostTrials && std::getline(file, line);)
        m_trials.push_back(line);
}

bool PassedTrials::has(std::string_view trial) const {
    return std::ranges::find(m_trials, keyOfTrial(trial)) != m_trials.end();
}

void PassedTrials::add(std::string_view trial) {
    if (m_path.empty() || has(trial)) return;
    if (m_trials.size() == kMostTrials) m_trials.erase(m_trials.begin());
    m_trials.push_back(keyOfTrial(trial));
    std::string text;
    for (const std::string& line : m_trials) text += line + "\n";
    const auto file = io::AtomicFile::create(m_path);
    if (file && (*file)->write(std::as_bytes(std::span(text))))
        (void)(*file)->commit(io::Durability::Unflushed);
}

}  // namespace ingle::session
