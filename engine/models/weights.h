/// Names of tensors as data: which weights a family reads, what they are called in files, and the checked
/// weights of one file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backend/plan.h"
#include "engine/formats/model_file.h"

namespace ingle::models {

enum class Presence : uint8_t {
    Required,
    Optional,
    Unused,  ///< if it is there at all
};

/// Where a weight may lie in a file: a tensor, or some of its rows, of each of several matrices (of vectors:
/// some elements of each). Other formats' names, and what has to be done to their rows, belong here.
struct TensorSource {
    std::string name;
    tensor::Shape shape;    ///< of the whole tensor
    uint64_t firstRow = 0;  ///< from which on the weight takes what it needs
};

/// A weight a family reads.
struct TensorSpec {
    std::string name;  ///< the family's own; GGUF's, where that has it
    tensor::Shape shape;
    backend::WeightUse use = backend::WeightUse::Matrix;
    Presence presence = Presence::Required;
    /// The weight is read as so many equal parts along its slowest dimension, see Weights::part().
    uint32_t numParts = 1;
    /// Where it lies, the usual place first; empty: in a tensor of its own name and shape.
    std::vector<TensorSource> sources = {};
    /// A bias that is to be added to a product before that is multiplied by this factor, though it belongs
    /// behind: it is divided by it. Of several factors, each row has its own.
    std::string dividedBy = {};
    /// A vector of this number, where files never hold one.
    std::optional<float> filledWith = {};
    /// Its numbers, where files hold them among their keys.
    std::vector<float> numbers = {};

    bool isMade() const { return filledWith || !numbers.empty(); }
    TensorSource usualSource() const { return sources.empty() ? TensorSource{name, shape} : sources[0]; }
};

/// The tensors of a file that holds the weights of a list, each where it usually lies.
std::vector<TensorSpec> usualTensors(std::span<const TensorSpec> specs);

/// The checked weights of a file, by name.
class Weights {
  public:
    /// Finds every tensor of the list. Errors: Corrupt (a required one is missing, or a shape differs);
    /// Unsupported (a factor of a matrix, "<its name>.scale", that is not in the list).
    static Result<Weights> bind(const formats::ModelFile& file, std::span<const TensorSpec> specs);

    /// Null for an optional tensor that is not there. The name must be in the family's list.
    const tensor::Tensor* operator[](std::string_view name) const;
    /// Part `index` of a weight with several; same rules.
    const tensor::Tensor* part(std::string_view name, uint32_t index) const;
    /// The number that products of a matrix are multiplied by; 1 where the file has none.
    float factor(std::string_view name) const;
    uint64_t totalBytes() const;

    /// The first two layers, since the first may compute other things than those behind it, and then those
    /// that have a weight whose name, format or shape no layer before them has, or that are not alike one of
    /// those.
    std::vector<uint32_t> layersOfEachKind(const std::function<bool(uint32_t, uint32_t)>& areAlike) const;
    /// Those of `layers`, numbered anew, and those of no layer.
    Weights withLayers(std::span<const uint32_t> layers) const;

  private:
    using Parts = std::shared_ptr<const std::vector<tensor::Tensor>>;  ///< copies have the same addresses

    void fill(const TensorSpec& spec);
    Status add(const formats::ModelFile& file, const TensorSpec& spec);
    Status divide(const formats::ModelFile& file, const TensorSpec& spec);

    std::map<std::string, const tensor::Tensor*, std::less<>> m_tensors;
    std::map<std::string, Parts, std::less<>> m_parts;
    std::vector<std::shared_ptr<const void>> m_made;  ///< keeps what m_tensors points to and no file has
};

/// Weight name of a layer: "blk.3.attn_q.weight".
std::string layerWeight(uint32_t layer, std::string_view name);

}  // namespace ingle::models
