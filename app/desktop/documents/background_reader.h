/// Has documents read by the model in use, one after the other, while nothing is asked. What was read is kept
/// page by page, so nothing here has to be finished. GUI thread.
#pragma once

#include <QElapsedTimer>
#include <QObject>

#include <deque>
#include <optional>
#include <string>

#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/model_in_use.h"
#include "app/desktop/services/storage_thread.h"
#include "app/history/documents/documents.h"

namespace ingle::desktop {

class BackgroundReader : public QObject {
    Q_OBJECT
  public:
    enum class Aim {
        Cost,  ///< what reading it comes to; a page is read to see how long that takes
        All,
    };

    BackgroundReader(StorageThread& storage, EngineClient& engine, ModelInUse& models,
                     QObject* parent = nullptr);
    ~BackgroundReader() override;

    /// Nothing where no model is loaded, or that much of it is under way.
    void want(history::RowId document, Aim aim);
    /// It is not read any further for now.
    void leave(history::RowId document);
    /// Waits to be read, or is being read.
    bool isUnderWay(history::RowId document) const;
    /// Its next figures are still to come.
    bool isPlanning(history::RowId document) const;
    /// Of the model in use, as far as is known; else 0.
    double tokensPerSecond() const { return m_tokensPerSecond; }

    /// What stands before every question about a document.
    ReadRequest requestFor(history::RowId document, const std::string& title, const std::string& text) const;

  signals:
    /// New figures of a document and the model in use; `wanted` is not known here.
    void told(ingle::history::RowId document, const ingle::history::DocumentReading& reading);
    /// It cannot be read, and not for want of room.
    void refused(ingle::history::RowId document, const ingle::Error& error);
    /// isUnderWay(), isPlanning() or tokensPerSecond() have other answers.
    void changed();

  private:
    struct Job {
        history::RowId document = 0;
        Aim aim = Aim::Cost;
    };

    void advance();
    void begin(const ReadRequest& request);
    void onPlanned(const ReadCost& cost);
    void onProgress(double fraction);
    void onDone(const Result<ReadCost>& cost);
    void stopCurrent();
    void measure(uint32_t tokens);

    StorageThread& m_storage;
    EngineClient& m_engine;
    ModelInUse& m_models;

    std::deque<Job> m_waiting;
    std::optional<Job> m_current;
    quint64 m_numBegun = 0;             ///< tells what belongs to m_current
    protocol::RequestId m_request = 0;  ///< of it; 0: its text is still being fetched
    history::DocumentReading m_reading;
    double m_tokensPerSecond = 0;
    QElapsedTimer m_sinceTold;    ///< the last progress
    uint32_t m_tokensAtTold = 0;  ///< read by then
};

}  // namespace ingle::desktop
