// Models for other programs. Sources: onnx/onnx.proto (ModelProto: a protobuf message whose first field is
// ir_version); Apple's coremltools, mlmodel/format/Model.proto (its first field is specificationVersion;
// packages and compiled models are folders); llama.cpp's llama.h of August 2023 (magic numbers before GGUF;
// rwkv.cpp's files, which are read, have another).
#include "engine/formats/kind.h"

namespace ingle::formats::other_format_kind {
namespace {

struct OtherFormat {
    std::string_view name;
    std::string_view ending;  ///< of the file's name; empty: any
    std::string_view begin;   ///< its first bytes; empty: it is a folder
    std::string_view sentence;
};
constexpr std::string_view kOnnx =
    "an ONNX model, which other programs run; get the same model as GGUF instead";
constexpr std::string_view kCoreMl =
    "a Core ML model, which runs on Apple's systems only; get the same model as GGUF instead";
constexpr std::string_view kGgml = "a GGML file of the time before GGUF; get the same model as GGUF instead";
constexpr OtherFormat kFormats[] = {{"ONNX", ".onnx", "\x08", kOnnx},
                                    {"Core ML", ".mlmodel", "\x08", kCoreMl},
                                    {"Core ML", ".mlpackage", "", kCoreMl},
                                    {"Core ML", ".mlmodelc", "", kCoreMl},
                                    {"GGML", "", "tjgg", kGgml},
                                    {"GGML", "", "lmgg", kGgml}};

std::optional<Error> refuse(const Sighting& sighting) {
    for (const OtherFormat& format : kFormats) {
        const bool isNamed = format.ending.empty() || sighting.endsIn(format.ending);
        const bool isFolder = sighting.source.isFolder();
        const bool begins =
            format.begin.empty() ? isFolder : sighting.text(format.begin.size()) == format.begin;
        if (isNamed && begins)
            return refused<ErrorId::OtherFormat>(sighting.source.path(), format.sentence, format.name);
    }
    return std::nullopt;
}

constexpr ErrorId kErrors[] = {ErrorId::OtherFormat};

}  // namespace

extern const Kind kind{.name = "otherFormat", .actions = kGetInstead, .refuse = refuse, .errors = kErrors};

}  // namespace ingle::formats::other_format_kind
