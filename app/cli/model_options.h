/// Options that subcommands share.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "ingle/embedder.h"
#include "ingle/engine.h"
#include "ingle/recognition.h"

namespace ingle::cli {

/// MODEL and how to load it.
struct ModelOptions {
    std::string model;
    LoadOptions load;
    std::vector<std::string> overrides;  ///< KEY=VALUE
};

/// Declares --backend and --device.
void addBackend(CLI::App& app, LoadOptions& load);

enum class ModelArgument { Required, Optional };

/// Declares MODEL, --backend, --device, --threads, --ctx, --kv, --activations, --no-fuse,
/// --load-anyway and --set. `options`
/// must live as long as the parsed application.
void addModelOptions(CLI::App& app, ModelOptions& options, ModelArgument argument = ModelArgument::Required);

/// The file MODEL means: a path that exists, else the name of a model in the library; without MODEL, the
/// model used last, or the guide while the library is empty. Errors: InvalidArgument.
Result<std::string> resolveModel(const std::string& model);

/// How to load it, with the --set values. Errors: InvalidArgument.
Result<LoadOptions> loadOptions(const ModelOptions& options);

/// What would make a model fit that does not, with the options to say so.
std::string remedies(const ModelInfo& info);

/// Says on standard error when it does not compute on the device that was asked for. A driver that
/// crashes meanwhile does not end the program (see GuardedLoad): to be called before anything is read or
/// written, and before there is another thread.
Result<std::unique_ptr<Engine>> loadEngine(ModelOptions options);
/// The same of a model that makes embeddings.
Result<std::unique_ptr<Embedder>> loadEmbedder(ModelOptions options);
/// What MODEL is; of one that is refused its error.
Result<Recognition> recogniseWith(ModelOptions options);

/// Declares --temp, --top-k, --typical, --top-p, --min-p, the penalties, --last-n, --logit-bias and --seed.
void addSamplerOptions(CLI::App& app, SamplerParams& params);

/// Declares --guesses and --draft, which means that the draft model guesses unless --guesses says otherwise.
void addGuesses(CLI::App& app, Guesses& guesses, LoadOptions& load);

/// "1,2,3". Errors: InvalidArgument, naming the part that is no token id.
Result<std::vector<TokenId>> parseTokens(const std::string& text);

}  // namespace ingle::cli
