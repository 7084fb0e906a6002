#include "engine/session/devices/faster_devices.h"

#include <algorithm>
#include <fstream>
#include <span>

#include "engine/io/atomic_file.h"
#include "ingle/sha256.h"

namespace ingle::session {
namespace {

constexpr size_t kMostTrials = 256;

}  // namespace

FasterDevices::FasterDevices(const std::string& folder)
    : m_path(folder.empty() ? std::string() : folder + "/faster.txt") {
    if (m_path.empty()) return;
    std::ifstream file(m_path);
    for (std::string line; m_trials.size() < kMostTrials && std::getline(file, line);)
        m_trials.push_back(line);
}

bool FasterDevices::has(std::string_view trial) const {
    return std::ranges::find(m_trials, sha256Hex(trial)) != m_trials.end();
}

void FasterDevices::add(std::string_view trial) {
    if (m_path.empty() || has(trial)) return;
    if (m_trials.size() == kMostTrials) m_trials.erase(m_trials.begin());
    m_trials.push_back(sha256Hex(trial));
    std::string text;
    for (const std::string& line : m_trials) text += line + "\n";
    const auto file = io::AtomicFile::create(m_path);
    if (file && (*file)->write(std::as_bytes(std::span(text))))
        (void)(*file)->commit(io::Durability::Unflushed);
}

}  // namespace ingle::session
