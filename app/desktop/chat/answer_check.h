/// Checks an answer: asks the engine what it would choose now at each of its places, and says whether that is
/// what stands there. GUI thread.
#pragma once

#include <QObject>
#include <QStringList>

#include <cstddef>
#include <set>

#include "app/desktop/chat/chat_controller.h"
#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/model_in_use.h"
#include "app/desktop/services/notices.h"
#include "app/desktop/services/picture_courier.h"
#include "app/desktop/services/storage_thread.h"

namespace ingle::desktop {

/// What is not as it was when `answer` was written, a sentence each.
QStringList changesSince(const history::Message& answer, const protocol::Scored& now);
/// The first token that the model would choose another one for; `chosen`: where the person chose another word
/// than the model, which is no difference. -1: there is none.
std::ptrdiff_t firstDifference(const Scores& scores, const std::set<size_t>& chosen);
/// Whether the same tokens are chosen, or from which word on others are.
QString comparison(const Scores& scores, const std::set<size_t>& chosen);
/// The numbers behind that; empty: there is no difference.
QString comparisonDetails(const Scores& scores, const std::set<size_t>& chosen);

/// One check at a time: a later one ends it.
class AnswerCheck : public QObject {
    Q_OBJECT
  public:
    AnswerCheck(StorageThread& storage, EngineClient& engine, ChatController& chat, ModelInUse& models,
                Notices& notices)
        : m_storage(storage),
          m_engine(engine),
          m_courier(storage, engine),
          m_chat(chat),
          m_models(models),
          m_notices(notices) {}

    /// The model that wrote it is loaded, and it has an end; or it is to be said that nobody can.
    bool canCheck(history::RowId message) const;
    /// The result is a notice: a toast where all is as it was.
    void check(history::RowId message);

  private:
    void tell(const history::Message& answer, const std::set<size_t>& chosen,
              const Result<protocol::Scored>& scored);

    StorageThread& m_storage;
    EngineClient& m_engine;
    PictureCourier m_courier;
    ChatController& m_chat;
    ModelInUse& m_models;
    Notices& m_notices;
    quint64 m_numChecks = 0;
    protocol::RequestId m_request = 0;
};

}  // namespace ingle::desktop
