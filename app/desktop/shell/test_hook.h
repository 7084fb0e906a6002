/// Lets tests drive and read the real window (only in inglenook-test): one JSON object per line, in and out,
/// on the local socket $INGLE_TEST_SOCKET. With $INGLE_PAINT_LOG every frame that showed new text of the
/// newest answer appends {"id","offset","text"} to that file.
#pragma once

#include <QElapsedTimer>
#include <QJsonObject>
#include <QLocalServer>
#include <QObject>
#include <QQuickWindow>

#include <string>

#include "app/desktop/shell/app_model.h"

namespace ingle::desktop {

class TestHook : public QObject {
    Q_OBJECT
  public:
    TestHook(QQuickWindow& window, AppModel& model);
    ~TestHook() override;

  private:
    QJsonObject answer(const QJsonObject& command);
    QJsonObject drop(const QJsonObject& command);
    QJsonObject type(const QJsonObject& command);
    QJsonObject key(const QJsonObject& command);
    QJsonObject click(const QJsonObject& command);
    QJsonObject act(const QJsonObject& command);
    QJsonArray rows() const;
    QJsonObject state();
    QJsonObject screenshot(const QJsonObject& command);
    void logFrame();

    QQuickWindow& m_window;
    AppModel& m_model;
    QLocalServer m_server;
    /// What is to be clicked, where it was seen last, and after how many frames.
    struct Aim {
        const QQuickItem* item = nullptr;
        QPoint center;
        int frame = 0;
    };

    qint64 m_hostPid = 0;
    int m_numFrames = 0;
    Aim m_aim;
    double m_firstFrameMs = 0;  ///< 0: not yet
    double m_modelReadyMs = 0;
    int m_paintLog = -1;
    history::RowId m_paintedId = 0;
    size_t m_paintedBytes = 0;
};

}  // namespace ingle::desktop
