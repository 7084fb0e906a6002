/// How a model becomes an entry of the list of models, and what that is for.
#pragma once

#include <QString>

#include <span>
#include <string>
#include <vector>

#include "app/library/library.h"
#include "ingle/recognition.h"
#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::desktop {

/// What people call it.
QString nameOf(const library::ModelEntry& entry);

/// Some files hold a model and nothing that turns text into its tokens.
bool hasTokenizer(const ModelInfo& info);
/// A reranker: it scores texts by a question.
bool scoresPairs(const ModelInfo& info);
/// An encoder writes nothing, so no form of chats is its own.
library::ModelPurpose purposeOf(const ModelInfo& info);

/// The model that compares texts.
struct EmbeddingModel {
    std::string id;    ///< by what is in its file: another one makes other numbers
    std::string path;  ///< empty: there is none

    bool isThere() const { return !path.empty(); }
    bool operator==(const EmbeddingModel&) const = default;
};
/// Of several the one that was added last.
EmbeddingModel embeddingModelOf(std::span<const library::ModelEntry> models);

struct CheckedModel {
    library::ModelEntry entry;
    library::FileState file = library::FileState::Same;
};
Result<CheckedModel> checkModel(const library::Library& library, const std::string& id);
/// Adds it, or finds that it is one of the library whose file was moved.
Result<CheckedModel> addModel(library::Library& library, const ModelInfo& info);

/// What stands in the list for a model of another computer, which the library, of files, does not have: its
/// path is its id, and the computer its summary.
/// Names are made fit to be read: marks of direction and controls are left out, and long ones are cut.
library::ModelEntry remoteEntry(const std::string& path, const std::string& computer);
std::vector<library::ModelEntry> remoteEntries(std::span<const Recognition> things);

}  // namespace ingle::desktop
