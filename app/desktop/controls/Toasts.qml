// Short messages that go by themselves, some with a way back; the newest is the lowest.
import QtQuick
import QtQuick.Layouts
import Inglenook

Column {
    id: toasts

    required property Notices notices
    /// Those above it are not seen: the newest matter most.
    required property real room
    readonly property int most: Math.max(1, Math.floor((room + spacing) / (Theme.controlSize + Theme.m + spacing)))

    objectName: "toasts"
    spacing: Theme.s

    Repeater {
        model: toasts.notices.toasts
        delegate: Rectangle {
            id: toast

            required property var modelData
            required property int index

            objectName: "toast"
            visible: index >= toasts.notices.toasts.length - toasts.most
            anchors.horizontalCenter: parent.horizontalCenter
            width: Math.min(row.implicitWidth + Theme.l + Theme.s, toasts.width - 2 * Theme.l)
            height: Math.max(Theme.controlSize, row.implicitHeight) + Theme.m
            radius: Theme.radius
            color: Theme.text

            RowLayout {
                id: row
                anchors.fill: parent
                anchors.leftMargin: Theme.l
                anchors.rightMargin: Theme.s
                spacing: Theme.m

                Text {
                    Layout.fillWidth: true
                    text: toast.modelData.text
                    textFormat: Text.PlainText
                    color: Theme.window
                    font.pixelSize: Theme.smallSize
                    wrapMode: Text.Wrap
                    maximumLineCount: 2
                    elide: Text.ElideRight
                    Accessible.role: Accessible.AlertMessage
                    Accessible.name: text
                }
                TextButton {
                    objectName: "undoButton"
                    visible: toast.modelData.canUndo
                    text: qsTr("Undo")
                    prominent: true
                    onClicked: toasts.notices.undo(toast.modelData.key)
                }
                IconButton {
                    visible: !toast.modelData.canUndo
                    iconName: "close"
                    tint: Theme.window
                    hint: qsTr("Dismiss")
                    onClicked: toasts.notices.dismissToast(toast.modelData.key)
                }
            }
        }
    }
}
