/// Recognises what people drop on a window or name on a command line: says in one sentence what it is, and
/// what can be done with it. The kinds are a table in engine/formats/kinds. Implemented in engine/session.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle {

/// What people can do with something that was recognised.
enum class ModelAction {
    Open,
    MakeSmaller,  ///< write it with fewer bits per weight
    Import,       ///< write it as one GGUF file
    ReadText,     ///< read it as a document, since it is not a model
    GetInstead,   ///< get a model of another kind, or the same file once more
};

/// What is known about one model, or about one thing that is not a model.
struct Recognition {
    std::string kind;      ///< name of its row in the table of kinds
    std::string path;      ///< what to open; for a model in several files the path that stands for all
    std::string sentence;  ///< in English; other languages build theirs from kind, info and refusal
    std::vector<ModelAction> actions;
    ModelInfo info;                ///< set for a model
    std::optional<Error> refusal;  ///< why it cannot be opened

    bool can(ModelAction action) const {
        for (const ModelAction each : actions)
            if (each == action) return true;
        return false;
    }
};

/// Recognises each of `paths`. The parts of one model, and its files that mean nothing alone, become one
/// recognition. The result has the order of the paths, but models come first. Only headers are read.
std::vector<Recognition> recognise(std::span<const std::string> paths, const LoadOptions& options = {});

}  // namespace ingle
