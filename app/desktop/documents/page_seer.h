/// Has the model in use read pages of scans: it is shown a picture of one and asked for what stands there.
#pragma once

#include <QObject>
#include <QString>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/model_in_use.h"

namespace ingle::desktop {

/// GUI thread, but for Seer::see.
class PageSeer : public QObject {
    Q_OBJECT
  public:
    PageSeer(EngineClient& engine, ModelInUse& models, QObject* parent = nullptr)
        : QObject(parent), m_engine(engine), m_models(models) {}

    struct Seer {
        QString name;    ///< of the model
        std::string id;  ///< the same for the same model
        /// The text in a picture, of which it takes a file. Waits for it, so it is for another thread.
        /// Errors: those of an answer; Cancelled; InvalidArgument when another model is in use by then.
        std::function<Result<std::string>(std::string picture)> see;
    };
    /// Nothing: the model in use cannot see, or would be sent the pages on another computer.
    std::optional<Seer> seer(std::shared_ptr<const std::atomic<bool>> cancelled);

  private:
    struct Page;
    using PagePtr = std::shared_ptr<Page>;

    void show(const PagePtr& page);
    void ask(const PagePtr& page);
    void leave(const PagePtr& page);

    EngineClient& m_engine;
    ModelInUse& m_models;
};

}  // namespace ingle::desktop
