/// What people drop on a window or name on a command line: what it is, in one sentence, and what can be done
/// with it. The kinds are a table, engine/formats/kinds. Implemented in engine/session.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle {

/// What makes sense with something that was recognised.
enum class ModelAction {
    Open,
    MakeSmaller,  ///< writes it with fewer bits for a number
    Import,       ///< writes it as one GGUF file
    ReadText,     ///< it is no model; it may be a document
    GetInstead,   ///< a model of another kind, or the same file once more
};

/// One model, or one thing that is none.
struct Recognition {
    std::string kind;      ///< a row of the table, by its name
    std::string path;      ///< what to open: of a model in several files what stands for all of them
    std::string sentence;  ///< in English; other languages make their own of kind, info and refusal
    std::vector<ModelAction> actions;
    ModelInfo info;                ///< of a model
    std::optional<Error> refusal;  ///< why it cannot be opened

    bool can(ModelAction action) const {
        for (const ModelAction each : actions)
            if (each == action) return true;
        return false;
    }
};

/// Recognises each of `paths`; parts of one model are one recognition, and so are its files that say nothing
/// alone. In the order of the paths, models first. Reads headers only.
std::vector<Recognition> recognise(std::span<const std::string> paths, const LoadOptions& options = {});

}  // namespace ingle
