/// What passages mean, as rows of numbers that an embedding model made of them: beside the words of a
/// question, its meaning finds them (passageParts). Only documents that some model has no room for need them.
/// A model is named by what is in its file, so that another one's rows are never compared with its own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/history/store/history.h"
#include "ingle/result.h"

namespace ingle::history {

/// A passage as an embedding model is given it: its heading, and what it says.
struct PassageText {
    RowId passage = 0;
    std::string text;
};

/// Of length 1.
struct PassageVector {
    RowId passage = 0;
    std::vector<float> values;
};

/// The same of any text, such as a question.
struct TextVector {
    std::string model;
    std::vector<float> values;
};

/// The next passages that have no vector by that model: about `bytes` of text, and one at least where there
/// is one.
Result<std::vector<PassageText>> passagesWithoutVector(HistoryReader& history, const std::string& model,
                                                       uint64_t bytes);
/// In place of those by other models. What was removed meanwhile gets none.
Status setPassageVectors(History& history, const std::string& model, std::span<const PassageVector> vectors);
/// Some passages of these documents have vectors, and that model has no room for their documents.
Result<bool> haveVectors(HistoryReader& history, std::span<const RowId> documents,
                         const std::string& modelId);

}  // namespace ingle::history
