/// Full-text search in titles and messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/history/store/history.h"
#include "ingle/part.h"
#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::history {

struct SearchHit {
    RowId conversation = 0;
    RowId message = 0;  ///< 0: the title matched
    std::string title;
    std::string snippet;  ///< with U+0001 … U+0002 around each match
};

/// What a search is narrowed to; what is empty or 0 narrows nothing.
struct SearchFilter {
    std::optional<Role> role;
    std::string modelId;  ///< answers of that model
    RowId folder = 0;
    int64_t sinceMs = 0;  ///< of messages when they were written, of titles when something was said last

    bool operator==(const SearchFilter&) const = default;
};

/// A model that answered.
struct UsedModel {
    std::string id;
    std::string name;
};

/// Titles and finished messages of all branches that hold every word, in any order: the last word also as the
/// beginning of one, words between quotes as a phrase, CJK characters one by one; without regard to case and
/// diacritics. Titles first, then messages, newest first. At most `limit` hits.
Result<std::vector<SearchHit>> search(HistoryReader& history, const std::string& text, int limit,
                                      const SearchFilter& filter = {});
/// Those that answered last in some conversation, by name.
Result<std::vector<UsedModel>> models(HistoryReader& history);
/// The messages of one conversation, of all its branches, in which search() would find that; oldest first.
Result<std::vector<RowId>> findIn(HistoryReader& history, RowId conversation, const std::string& text);

}  // namespace ingle::history
