/// Writes any model file that can be read as GGUF, and some as FastLLM's or llama2.c's files, quantised if
/// asked for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/import/quant_mix.h"
#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::importer {

struct ImportOptions {
    std::string source;    ///< any format; of a split model any part
    std::string target;    ///< its extension says the format (model_writer.h); GGUF under any other
    std::string replaces;  ///< the file in whose place the target will be put, if it is another one
    std::string quant;     ///< a mix of quant_mix.h; empty: every tensor stays as it is stored
    std::vector<TensorType> tensorTypes;  ///< what is wanted for some tensors; the first that fits counts
    std::string importance;               ///< a file of importance.h; empty: all columns matter alike
    uint32_t threads = 0;                 ///< 0: physical cores
};

/// How the caller hears of an import. Each may be null.
struct ImportEvents {
    ProgressFn progress;
    /// One sentence on something people should know: tensors in another format than asked for, weights that
    /// were quantised before.
    std::function<void(const std::string& sentence)> notice;
    /// Asked before each piece of about a MiB; true ends the import.
    std::function<bool()> isCancelled;
};

/// Metadata, tokenizer and chat template are carried over. `target` appears complete or not at all; memory
/// stays at a few MiB beside the mapped source. Errors: those of formats::openModelFile and Importance::read;
/// InvalidArgument (an unknown mix or format; target and source are the same file; an importance matrix of
/// another model), Unsupported (what the target's format cannot hold), Io (a disk without room, before
/// anything is written or meanwhile), Cancelled.
Status importModel(const ImportOptions& options, const ImportEvents& events);

/// Decodes raw blocks of one format to little-endian float32. Errors: InvalidArgument (an unknown format, a
/// size that is not whole blocks), Io.
Status dequantFile(const std::string& format, const std::string& raw, const std::string& target);

}  // namespace ingle::importer
