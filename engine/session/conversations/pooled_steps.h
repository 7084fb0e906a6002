/// What is done with the row that stands for a text: layers of a classifier, or those that
/// sentence-transformers puts behind the pooling. They are small, and computed once a text: on the processor,
/// from floats.
#pragma once

#include <vector>

#include "engine/models/family.h"

namespace ingle::session {

class PooledSteps {
  public:
    /// Expands the weights of ModelFacts::pooledSteps.
    explicit PooledSteps(const models::BoundModel& model);

    std::vector<float> apply(std::vector<float> row) const;

  private:
    struct Layer {
        models::PooledStep step;
        std::vector<float> matrix;      ///< [out, in]
        std::vector<float> bias, gain;  ///< empty: none
    };
    static std::vector<float> applyLayer(const Layer& layer, const std::vector<float>& row);

    std::vector<Layer> m_layers;
};

}  // namespace ingle::session
