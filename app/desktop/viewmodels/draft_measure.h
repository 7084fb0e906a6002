/// Whether what is being written will fit the model's context, before it is sent.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QTimer>

#include "app/desktop/engine_client.h"
#include "app/desktop/viewmodels/model_list_model.h"
#include "app/desktop/viewmodels/settings.h"

namespace ingle::desktop {

/// Older turns do not count: they are dropped to make room. GUI thread.
class DraftMeasure : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// What to say about it; empty: it fits, as far as is known.
    Q_PROPERTY(QString problem READ problem NOTIFY problemChanged)
  public:
    DraftMeasure(EngineClient& engine, const ModelListModel& models, const Settings& settings,
                 QObject* parent = nullptr);

    QString problem() const { return m_problem; }
    /// The text is counted once it has not changed for a moment.
    void look(const QString& text);

  signals:
    void problemChanged();

  private:
    void count();
    void setProblem(const QString& problem);

    EngineClient& m_engine;
    const ModelListModel& m_models;
    const Settings& m_settings;
    QTimer m_pause;
    QString m_text;
    QString m_problem;
    protocol::RequestId m_asked = 0;
};

}  // namespace ingle::desktop
