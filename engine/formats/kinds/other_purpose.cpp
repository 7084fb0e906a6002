// Models for something else than writing. Sources: gguf-connector and ComfyUI-GGUF (names of models for
// pictures), TTS.cpp (of those for speech), llama.cpp's llama-arch.cpp; names of transformers' and diffusers'
// classes.
#include "engine/formats/other_purposes.h"

#include <cctype>

#include "engine/formats/kind.h"

namespace ingle::formats::other_purpose_kind {
namespace {

struct Purpose {
    std::string_view what;  ///< stable: the window has a sentence for each
    std::string_view sentence;
};
constexpr Purpose kPictures{
    "pictures",
    "a model that makes pictures or films; programs for these run it, and here runs a model that writes"};
constexpr Purpose kSpeech{
    "speech", "a model that speaks or hears; programs for sound run it, and here runs a model that writes"};
constexpr Purpose kSees{
    "sees", "a model that finds things in pictures and writes nothing; here runs a model that writes"};
constexpr Purpose kDiffusion{
    "diffusion",
    "a model that writes all words at once, by diffusion, which this version cannot; a "
    "model that writes word by word runs here"};
constexpr Purpose kTranslates{
    "translates",
    "a model with an encoder and a decoder, like T5, which this version cannot run; a "
    "model that only has a decoder, such as Qwen or Gemma, runs here"};
constexpr Purpose kEncodes{
    "encodes",
    "an encoder like T5's, which writes nothing and which this version cannot run; a model that writes runs "
    "here"};

struct Named {
    std::string_view begin;  ///< of the architecture's name
    const Purpose& purpose;
};
constexpr Named kNames[] = {
    // GGUF.
    {"flux", kPictures},
    {"sd1", kPictures},
    {"sd3", kPictures},
    {"sdxl", kPictures},
    {"wan", kPictures},
    {"aura", kPictures},
    {"hidream", kPictures},
    {"hyvid", kPictures},
    {"ltxv", kPictures},
    {"lumina", kPictures},
    {"qwen_image", kPictures},
    {"cosmos", kPictures},
    {"pig", kPictures},
    {"wavtokenizer", kSpeech},
    {"whisper", kSpeech},
    {"parler", kSpeech},
    {"kokoro", kSpeech},
    {"dia", kSpeech},
    {"dream", kDiffusion},
    {"llada", kDiffusion},
    {"rnd1", kDiffusion},
    {"t5encoder", kEncodes},
    {"t5", kTranslates},
    // Folders.
    {"Flux", kPictures},
    {"StableDiffusion", kPictures},
    {"Whisper", kSpeech},
    {"Wav2Vec2", kSpeech},
    {"Hubert", kSpeech},
    {"SpeechT5", kSpeech},
    {"Vits", kSpeech},
    {"Musicgen", kSpeech},
    {"Bark", kSpeech},
    {"Kokoro", kSpeech},
    {"CLIP", kSees},
    {"Siglip", kSees},
    {"ViT", kSees},
    {"Dinov", kSees},
    {"Detr", kSees},
    {"Sam", kSees},
    {"Dream", kDiffusion},
    {"LLaDA", kDiffusion},
    {"T5Encoder", kEncodes},
    {"MT5Encoder", kEncodes},
    {"T5", kTranslates},
    {"MT5", kTranslates},
    {"Bart", kTranslates},
    {"MBart", kTranslates},
    {"Marian", kTranslates},
    {"M2M100", kTranslates},
    {"Pegasus", kTranslates},
};

/// "Sam" begins the names of SamModel and Sam2Model, and not that of SambaModel.
bool begins(std::string_view name, std::string_view architecture) {
    if (!architecture.starts_with(name)) return false;
    const std::string_view rest = architecture.substr(name.size());
    if (rest.empty()) return true;
    const auto next = static_cast<unsigned char>(rest[0]);
    return std::isupper(next) || std::isdigit(next) || next == '-' || next == '_';
}

Error refusal(const std::string& path, const Purpose& purpose) {
    return refused<ErrorId::OtherPurpose>(path, purpose.sentence, purpose.what);
}

/// diffusers keep each part of a pipeline in a folder of its own.
std::optional<Error> refuse(const Sighting& sighting) {
    if (!sighting.source.isFolder()) return std::nullopt;
    const auto index = sighting.source.findSibling("model_index.json");
    return index && *index ? std::optional(refusal(sighting.source.path(), kPictures)) : std::nullopt;
}

std::optional<Error> refuseRead(const ModelFile& file) {
    return otherPurposeOf(file.path, file.metadata.stringOr("general.architecture", "").value_or(""));
}

constexpr ErrorId kErrors[] = {ErrorId::OtherPurpose};

}  // namespace

extern const Kind kind{.name = "otherPurpose",
                       .actions = kGetInstead,
                       .refuse = refuse,
                       .refuseRead = refuseRead,
                       .errors = kErrors};

}  // namespace ingle::formats::other_purpose_kind

namespace ingle::formats {

std::optional<Error> otherPurposeOf(const std::string& path, std::string_view architecture) {
    using namespace other_purpose_kind;
    if (architecture.ends_with("ForCausalLM")) return std::nullopt;  // it writes word by word
    const auto found =
        std::ranges::find_if(kNames, [&](const Named& named) { return begins(named.begin, architecture); });
    return found == std::end(kNames) ? std::nullopt : std::optional(refusal(path, found->purpose));
}

}  // namespace ingle::formats
