#include "app/cli/model_options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include "app/cli/confinement.h"
#include "app/cli/driver_trials.h"
#include "app/cli/guarded_load.h"
#include "app/library/guide.h"
#include "app/library/library.h"

namespace ingle::cli {
namespace {

template <typename Enum>
CLI::Option* addEnum(CLI::App& app, const char* name, Enum& target, const std::map<std::string, Enum>& names,
                     const char* description) {
    return app.add_option(name, target, description)->transform(CLI::CheckedTransformer(names));
}

/// CLI::Range lets NaN through.
CLI::Validator within(double low, double high) {
    return CLI::Validator(
        [low, high](const std::string& text) {
            double value = 0;
            const bool isNumber = CLI::detail::lexical_cast(text, value);
            if (isNumber && value >= low && value <= high) return std::string();
            return fmt::format("{} is not between {} and {}", text, low, high);
        },
        fmt::format("NUMBER in [{} - {}]", low, high));
}

std::optional<LogitBias> parseLogitBias(const std::string& text) {
    const size_t equals = text.find('=');
    LogitBias bias;
    if (equals == std::string::npos || !CLI::detail::lexical_cast(text.substr(0, equals), bias.id) ||
        !CLI::detail::lexical_cast(text.substr(equals + 1), bias.bias) || !std::isfinite(bias.bias)) {
        return std::nullopt;
    }
    return bias;
}

}  // namespace

void addBackend(CLI::App& app, LoadOptions& load) {
    addEnum<BackendChoice>(
        app, "--backend", load.backend,
        {{"auto", BackendChoice::Auto}, {"cpu", BackendChoice::Cpu}, {"vulkan", BackendChoice::Vulkan}},
        "what computes");
    app.add_option("--device", load.device, "part of the name of the device to compute on");
}

void addModelOptions(CLI::App& app, ModelOptions& options, ModelArgument argument) {
    CLI::Option* model =
        app.add_option("MODEL", options.model, "model file, or the name of a model in the library");
    if (argument == ModelArgument::Required) model->required();
    addBackend(app, options.load);
    app.add_option("--device-memory", options.load.deviceBytes,
                   "how much of the device's memory may be used, such as 6G (default: all that is free)")
        ->transform(CLI::AsSizeValue(false));
    app.add_option("-t,--threads", options.load.threads, "CPU threads (default: physical cores)")
        ->check(CLI::Range(1, 256));
    app.add_option("--ctx", options.load.contextTokens,
                   "context in tokens (default: by memory and training; recurrent models have no limit)")
        ->check(CLI::Range(16, 1 << 22));
    addEnum<KvType>(app, "--kv", options.load.kv,
                    {{"f32", KvType::F32}, {"f16", KvType::F16}, {"q8", KvType::Q8}},
                    "type of the key/value cache");
    addEnum<KvMemory>(app, "--kv-memory", options.load.kvMemory,
                      {{"device", KvMemory::Device}, {"main", KvMemory::Main}},
                      "where a graphics device keeps keys and values: in its own memory, or in the "
                      "computer's, which leaves more of its own to the model");
    addEnum<ActivationType>(app, "--activations", options.load.activations,
                            {{"auto", ActivationType::Auto}, {"f32", ActivationType::F32}},
                            "f32: never round activations");
    app.add_flag("!--no-fuse", options.load.fuse, "run the graph as the family wrote it");
    app.add_flag("--load-anyway", options.load.loadAnyway, "also what does not fit the memory that is free");
    app.add_option("--set", options.overrides, "override a metadata value: KEY=VALUE")
        ->allow_extra_args(false);
}

Result<std::string> resolveModel(const std::string& model) {
    std::error_code ignored;
    if (!model.empty() && std::filesystem::exists(model, ignored)) return model;
    INGLE_TRY_ASSIGN(library::Library library, library::Library::open(library::defaultDataDir()));
    if (const std::string guide = library::guidePath(); !guide.empty()) INGLE_TRY(library.keepGuide(guide));
    if (model.empty()) {
        const std::vector<library::ModelEntry> models = library.models();
        const auto last =
            std::ranges::find(models, library::ModelPurpose::Chats, &library::ModelEntry::purpose);
        if (last == models.end())
            return fail(ErrorCode::InvalidArgument,
                        "no MODEL given, and the library holds none yet: name a model file");
        return last->path;
    }
    if (const auto entry = library.findByName(model)) return entry->path;
    return fail(ErrorCode::Io, "{}: no such file, and no model of that name in the library", model);
}

Result<LoadOptions> loadOptions(const ModelOptions& options) {
    LoadOptions load = options.load;
    load.trials = driverTrials();
    for (const std::string& text : options.overrides) {
        const size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0) {
            return fail(ErrorCode::InvalidArgument, "--set wants KEY=VALUE, not \"{}\"", text);
        }
        load.overrides[text.substr(0, equals)] = text.substr(equals + 1);
    }
    return load;
}

std::string remedies(const ModelInfo& info) {
    std::vector<std::string> words;
    for (const FitChoice& choice : info.memory.choices) {
        std::string flags;
        if (choice.contextTokens != info.contextTokens)
            flags += fmt::format(" --ctx {}", choice.contextTokens);
        if (choice.kv == KvType::Q8) flags += " --kv q8";
        switch (choice.remedy) {
            case FitRemedy::ShorterContext:
                words.push_back("a shorter context:" + flags);
                break;
            case FitRemedy::SmallerCache:
                words.push_back("a smaller cache:" + flags);
                break;
            case FitRemedy::SmallerModel:
                words.push_back(fmt::format("a smaller model: `ingle import {} -o SMALLER.gguf --quant {}`",
                                            info.path, choice.quant));
                if (!flags.empty()) words.back() += ", then" + flags;
                break;
        }
    }
    words.push_back("load it anyway: --load-anyway");
    return fmt::format("{}", fmt::join(words, "; "));
}

namespace {

/// The same error; of a model that does not fit, also what would help.
Error withRemedies(Error error, const std::string& path, const LoadOptions& load) {
    if (error.code != ErrorCode::OutOfMemory) return error;
    const auto info = inspectModel(path, load);
    if (info && !info->memory.fits()) error.message += ". What helps: " + remedies(*info);
    return error;
}

/// An Engine or an Embedder, by its `load`.
template <typename Loaded>
Result<std::unique_ptr<Loaded>> loadGuarded(const ModelOptions& options,
                                            Result<std::unique_ptr<Loaded>> (*loadIt)(const std::string&,
                                                                                      const LoadOptions&)) {
    INGLE_TRY_ASSIGN(const std::string path, resolveModel(options.model));
    INGLE_TRY_ASSIGN(LoadOptions load, loadOptions(options));
    std::optional<GuardedLoad> guard;
    if (load.backend != BackendChoice::Cpu) load.crashedProcess = guard.emplace().crashedProcess();
    INGLE_TRY(confineTo({path, load.draft, load.visionFile}));
    auto loaded = loadIt(path, load);
    if (!loaded) return tl::unexpected(withRemedies(std::move(loaded).error(), path, load));
    const ModelInfo& info = (*loaded)->info();
    for (const std::string& note : {info.deviceNote, info.contextNote})
        if (!note.empty()) fmt::print(stderr, "{}\n", note);
    return loaded;
}

}  // namespace

Result<std::unique_ptr<Engine>> loadEngine(ModelOptions options) {
    return loadGuarded<Engine>(options, [](const std::string& path, const LoadOptions& load) {
        return Engine::load(path, load, nullptr);
    });
}

Result<std::unique_ptr<Embedder>> loadEmbedder(ModelOptions options) {
    return loadGuarded<Embedder>(options, [](const std::string& path, const LoadOptions& load) {
        return Embedder::load(path, load, nullptr);
    });
}

Result<Recognition> recogniseWith(ModelOptions options) {
    INGLE_TRY_ASSIGN(const std::string path, resolveModel(options.model));
    INGLE_TRY_ASSIGN(const LoadOptions load, loadOptions(options));
    INGLE_TRY(confineTo({path, load.draft}));
    Recognition known = recognise({&path, 1}, load).front();
    if (known.refusal) return tl::unexpected(*std::move(known.refusal));
    return known;
}

void addSamplerOptions(CLI::App& app, SamplerParams& params) {
    app.add_option("--temp", params.temperature, "temperature; 0 is greedy")->check(within(0, 100));
    app.add_option("--top-k", params.topK, "keep the k best; 0 keeps all")->check(CLI::NonNegativeNumber);
    app.add_option("--typical", params.typicalP, "keep the typical ones that reach this probability")
        ->check(within(0, 1));
    app.add_option("--top-p", params.topP, "keep the best that reach this probability")->check(within(0, 1));
    app.add_option("--min-p", params.minP, "keep what has this share of the best one's probability")
        ->check(within(0, 1));
    app.add_option("--repeat-penalty", params.repeatPenalty, "divides the logits of recent tokens; 1 is off")
        ->check(within(0.01, 100));
    app.add_option("--frequency-penalty", params.frequencyPenalty, "taken off for each recent occurrence")
        ->check(within(-100, 100));
    app.add_option("--presence-penalty", params.presencePenalty, "taken off what occurred recently")
        ->check(within(-100, 100));
    app.add_option("--last-n", params.lastN, "how many of the last tokens are recent");
    app.add_option_function<std::vector<std::string>>(
           "--logit-bias",
           [&params](const std::vector<std::string>& texts) {
               for (const std::string& text : texts) params.logitBias.push_back(parseLogitBias(text).value());
           },
           "ID=BIAS: added to one token's logit (may be repeated)")
        ->allow_extra_args(false)
        ->check(CLI::Validator(
            [](const std::string& text) {
                return parseLogitBias(text) ? std::string() : fmt::format("{} is not ID=BIAS", text);
            },
            "ID=BIAS"));
    app.add_option("--seed", params.seed, "seed of the generator");
}

void addGuesses(CLI::App& app, Guesses& guesses, LoadOptions& load) {
    CLI::Option* where = addEnum<Guesses>(
        app, "--guesses", guesses,
        {{"off", Guesses::Off}, {"look-up", Guesses::LookUp}, {"draft", Guesses::Draft}},
        "where guesses of the next tokens come from; they change how fast an answer is, never what it says");
    app.add_option_function<std::string>(
        "--draft",
        [&guesses, &load, where](const std::string& path) {
            load.draft = path;
            if (where->count() == 0) guesses = Guesses::Draft;
        },
        "a small model with the same vocabulary, or an EAGLE-3 head for the model, which guesses");
}

Result<std::vector<TokenId>> parseTokens(const std::string& text) {
    std::vector<TokenId> tokens;
    for (size_t at = 0; at <= text.size();) {
        const size_t comma = std::min(text.find(',', at), text.size());
        TokenId id = 0;
        const auto parsed = std::from_chars(text.data() + at, text.data() + comma, id);
        if (parsed.ec != std::errc{} || parsed.ptr != text.data() + comma || id < 0) {
            return fail(ErrorCode::InvalidArgument, "\"{}\" is no token id", text.substr(at, comma - at));
        }
        tokens.push_back(id);
        at = comma + 1;
    }
    return tokens;
}

}  // namespace ingle::cli
