/// Requests whose messages name pictures: the engine says which one it has not, is given it, and is asked
/// again. GUI thread.
#pragma once

#include <QObject>

#include <functional>
#include <string>
#include <utility>

#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/storage_thread.h"
#include "app/desktop/services/while_alive.h"
#include "ingle/error_ids.h"

namespace ingle::desktop {

class PictureCourier {
  public:
    /// For the chats in that storage.
    PictureCourier(StorageThread& storage, EngineClient& engine) : m_storage(storage), m_engine(engine) {}

    /// Where the engine needs a picture, gives it one and calls `again`, or `failed` with why it cannot,
    /// unless `context` has gone. False: `error` says something else.
    bool bring(const Error& error, QObject* context, std::function<void()> again,
               std::function<void(const Error&)> failed);

    /// Asks, with as many pictures as are needed. `ask` gets who hears of the answer, and `done` the last
    /// one. An engine that forgets pictures faster than they come is given so many.
    static constexpr int kMostAtOnce = 100;
    template <typename T>
    void ask(QObject* context, std::function<void(std::function<void(const Result<T>&)>)> ask,
             std::function<void(const Result<T>&)> done, int left = kMostAtOnce) {
        ask(whileAlive(context, [this, context, ask, done, left](const Result<T>& result) {
            const auto again = [this, context, ask, done, left] { this->ask(context, ask, done, left - 1); };
            const auto failed = [done](const Error& error) { done(tl::unexpected<Error>(error)); };
            if (result || left == 0 || !bring(result.error(), context, again, failed)) done(result);
        }));
    }

  private:
    int m_numRefused = 0;  ///< one behind the other
    StorageThread& m_storage;
    EngineClient& m_engine;
};

}  // namespace ingle::desktop
