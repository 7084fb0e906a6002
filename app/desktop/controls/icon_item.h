/// A small line drawing in one colour, from an SVG in the resources that is drawn in "currentColor".
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QQuickPaintedItem>
#include <QString>

namespace ingle::desktop {

class IconItem : public QQuickPaintedItem {
    Q_OBJECT
    QML_NAMED_ELEMENT(Icon)
    /// File name in icons/ without its ending.
    Q_PROPERTY(QString name MEMBER m_name NOTIFY changed)
    Q_PROPERTY(QColor color MEMBER m_color NOTIFY changed)
  public:
    explicit IconItem(QQuickItem* parent = nullptr);

    void paint(QPainter* painter) override;

  signals:
    void changed();

  private:
    QString m_name;
    QColor m_color;
};

}  // namespace ingle::desktop
