/// The neutral form every file format is read into: metadata, tensor directory, tokenizer data. Keys and
/// tensor names are GGUF's, whatever the file: a reader translates, so that a model family reads one
/// vocabulary of names.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/buffer.h"
#include "engine/io/mapped_file.h"
#include "engine/tensor/tensor.h"
#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::formats {

/// A metadata value. Integers of every width are int64 or uint64 (only when above INT64_MAX), floats are
/// double.
using MetaValue = std::variant<int64_t, uint64_t, double, bool, std::string, std::vector<int64_t>,
                               std::vector<double>, std::vector<std::string>>;

/// Key → value with conversions. Integer widths are interchangeable where the value fits; an integer is
/// accepted for a float, nothing else is converted. A key that is present with the wrong type is Corrupt,
/// also for the ...Or getters.
class Metadata {
  public:
    void set(std::string key, MetaValue value);
    /// Applies `--set key=value`: the text is read as the type the key has now, else as integer, float, bool,
    /// string. A key outside "general.", "tokenizer." and "<architecture>." means "<architecture>.<key>".
    /// Errors: InvalidArgument when it does not parse.
    Status override_(const std::string& key, const std::string& text);

    const MetaValue* find(std::string_view key) const;  ///< null when absent
    Result<uint32_t> u32(std::string_view key) const;   ///< Corrupt "missing key" when absent
    Result<uint32_t> u32Or(std::string_view key, uint32_t fallback) const;
    Result<float> f32(std::string_view key) const;
    Result<float> f32Or(std::string_view key, float fallback) const;
    Result<bool> boolOr(std::string_view key, bool fallback) const;
    Result<std::string> string(std::string_view key) const;
    Result<std::string> stringOr(std::string_view key, std::string fallback) const;
    const std::map<std::string, MetaValue, std::less<>>& all() const { return m_values; }

  private:
    std::map<std::string, MetaValue, std::less<>> m_values;
};

/// Token types of tokenizer.ggml.token_type.
enum class TokenType : uint8_t { Undefined, Normal, Unknown, Control, UserDefined, Unused, Byte };

/// A change of plain text before it is cut. Source: Unicode Standard Annex 15 for the forms; the names are
/// those of huggingface/tokenizers.
enum class TextStep : uint8_t {
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
    DropMarks,            ///< StripAccents: characters of the categories M*
    DropNonspacingMarks,  ///< those of the category Mn, as BertNormalizer has it
    BaseLetters,          ///< of each character the first of its canonical decomposition, as readers of GGUF
    Lowercase,
};

/// How a token that stands for itself is found in text. Source: huggingface/tokenizers, "AddedToken".
struct TokenSearch {
    bool takesSpaceBefore = false;  ///< lstrip: white space is part of it
    bool takesSpaceBehind = false;  ///< rstrip
    bool isWord = false;            ///< single_word: no letter, digit or underscore stands beside it
    bool isNormalized = false;  ///< it is looked for behind the text steps, in what other tokens have left

    bool operator==(const TokenSearch&) const = default;
};

/// What a file says about its tokenizer.
struct TokenizerData {
    std::string model;  ///< "llama", "gpt2", …, "bytes" (id = byte), "none" (ids only)
    std::string pre;    ///< pre-tokenizer name, "" when absent
    /// Regular expressions that cut text into words, one after the other, where no name stands for them.
    std::vector<std::string> patterns;
    std::vector<TextStep> textSteps;  ///< done in this order; GGUF has a place for those of "bert" only
    bool takesWholeWords = false;     ///< with patterns: a word that is a token is taken without merging
    std::vector<std::string> tokens;  ///< raw bytes; may hold NUL and invalid UTF-8
    std::vector<float> scores;        ///< empty or one per token
    std::vector<TokenType> types;     ///< empty or one per token
    std::vector<std::string> merges;  ///< "left right", rank = index
    std::map<TokenId, TokenSearch> searches;  ///< of tokens that are not only looked for as they are
    std::optional<TokenId> bos, eos, eot, eom, unknown, padding,
        separator;  ///< only ids inside the vocabulary
    std::optional<bool> addBos, addEos, addSpacePrefix, removeExtraSpaces;
    bool prefixesOnlyFirst = false;  ///< addSpacePrefix: where a text begins, not behind special tokens
    std::string characterMap;        ///< SentencePiece's precompiled_charsmap, "" when absent
    std::string chatTemplate;        ///< Jinja source, "" when absent
    std::string toolTemplate;        ///< the same for conversations with tools, when it is another one
};

/// Where the two numbers of a rotated pair lie in a head of queries and keys.
enum class RotaryPairs : uint8_t {
    AsInGguf,  ///< as the family has them in GGUF files
    Halves,    ///< one in each half of what is rotated, where GGUF files of the family have them side by side
};

/// A checked model file. Tensors point into `mappings`, or once they are expanded into `buffers`.
struct ModelFile {
    std::string path;    ///< as the person wrote it: for sentences
    std::string format;  ///< "GGUF v3", "rwkv.cpp", "llama2.c v0"
    /// The file, or the parts of a split model in their order, or the files of a folder that say what it is.
    std::vector<io::Source> sources;
    std::vector<std::shared_ptr<const io::MappedFile>> mappings;  ///< of the sources, one each
    std::vector<base::Buffer> buffers;                            ///< of expanded tensors
    Metadata metadata;  ///< always has general.architecture, unless the file holds a vocabulary or
                        ///< importances only
    std::map<std::string, tensor::Tensor, std::less<>> tensors;
    TokenizerData tokenizer;
    RotaryPairs rotaryPairs = RotaryPairs::AsInGguf;
    /// GGUF files of the family have attn_qkv in place of attn_q, attn_k and attn_v.
    bool joinsHeadsInGguf = false;
    bool hasSight = false;  ///< the same files may hold a ModelPart::Sight

    const tensor::Tensor* find(std::string_view name) const;  ///< null when absent
    uint64_t fileBytes() const;                               ///< of all mappings
    /// What expand() takes: bytes of the tensors that are not in the file as they are computed with.
    uint64_t expandedBytes() const;
    /// What expand() is the last to read of the mappings, in the order in which it lies in memory: each byte
    /// once.
    std::vector<std::span<const std::byte>> readOnce() const;
    /// Gives every tensor its data, and lets go of the memory that held what it was made of. Before anything
    /// is computed with them; nothing else needs it. A second call does nothing. Errors: OutOfMemory.
    Status expand(uint32_t numThreads);
};

/// Which part of a model is wanted. A folder of Hugging Face may hold two.
enum class ModelPart : uint8_t {
    Text,
    Sight,  ///< what a vision file holds, "clip"
};

/// Recognises the format by its first bytes and reads the header, and those of the other parts of a split
/// model, or of a folder's. A file that holds one model is opened as that, whichever part is wanted. Opens
/// nothing but files beside the source, or in the folder. Never allocates more than the file could justify.
/// Errors: Io; Corrupt; Unsupported, naming the unknown format, version or block type.
Result<ModelFile> openModelFile(const io::Source& source, ModelPart part = ModelPart::Text);

}  // namespace ingle::formats
