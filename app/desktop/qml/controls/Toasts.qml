// Short messages that go by themselves, some with a way back; the newest is the lowest.
import QtQuick
import QtQuick.Layouts
import Inglenook

Column {
    id: toasts

    required property Notices notices

    spacing: Theme.s

    Repeater {
        model: toasts.notices.toasts
        delegate: Rectangle {
            id: toast

            required property var modelData

            anchors.horizontalCenter: parent.horizontalCenter
            width: Math.min(row.implicitWidth + Theme.l + Theme.s, toasts.width)
            height: 46
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
