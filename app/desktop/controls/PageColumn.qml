// What stands on a page below each other, in a column that is easily read, and scrolls.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Flickable {
    id: scroller

    default property alias content: column.data
    property real widest: Theme.columnWidth
    property real margin: Theme.xl
    property alias spacing: column.spacing

    anchors.fill: parent
    contentWidth: width
    contentHeight: column.implicitHeight + 2 * Theme.l
    clip: true
    boundsBehavior: Flickable.StopAtBounds
    T.ScrollBar.vertical: ScrollThumb {}

    ColumnLayout {
        id: column
        x: Math.max(scroller.margin, (scroller.width - width) / 2)
        y: Theme.s
        width: Math.min(scroller.widest, scroller.width - 2 * scroller.margin)
        spacing: Theme.m
    }
}
