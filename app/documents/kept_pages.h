/// Pages of a scan that were read already, so that what was interrupted goes on where it was.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "app/documents/page_answer.h"

namespace ingle::documents {

/// A folder for each file and reader, in it a file for each page. What cannot be written is read again.
class KeptPages {
  public:
    /// How long they wait for somebody to go on.
    static constexpr std::chrono::hours kPatience{30 * 24};

    /// Of the file with this SHA-256, as `seer` reads them (ScanOptions::seer). Pages of other scans for
    /// which nobody came back are removed. `folder` empty: nothing is kept.
    KeptPages(const std::string& folder, const std::string& hash, const std::string& seer);

    /// Nothing where the page is not there, or damaged.
    std::optional<RecognisedPage> find(uint32_t number) const;
    void keep(uint32_t number, const RecognisedPage& page) const;
    /// All of this file, whoever read them.
    void forget() const;

  private:
    std::filesystem::path pathOf(uint32_t number) const;

    std::filesystem::path m_all;  ///< of all scans; empty: nothing is kept
    std::string m_hash;
    std::filesystem::path m_own;  ///< of this file and reader
};

}  // namespace ingle::documents
