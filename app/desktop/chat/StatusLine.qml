// One quiet line under the composer; a click tells more.
import QtQuick
import QtQuick.Templates as T
import Inglenook

Item {
    id: line

    required property ChatStatus status
    required property Actions actions

    objectName: "statusLine"
    // Its place is kept, so that nothing jumps when there is something to say.
    implicitHeight: Math.max(Theme.smallSize, button.implicitContentHeight) + Theme.m

    T.AbstractButton {
        id: button
        anchors.centerIn: parent
        width: Math.min(implicitContentWidth + 2 * Theme.m, line.width)
        height: parent.height - Theme.xs
        horizontalPadding: Theme.m
        verticalPadding: (height - implicitContentHeight) / 2
        Keys.onReturnPressed: clicked()
        Keys.onEnterPressed: clicked()
        visible: line.status.text.length > 0 || line.status.contextShare > 0
        focusPolicy: Qt.TabFocus
        Accessible.name: line.status.everything
        onClicked: details.open()

        contentItem: Row {
            spacing: Theme.s

            Ring {
                anchors.verticalCenter: parent.verticalCenter
                visible: line.status.contextShare > 0
                share: line.status.contextShare
                color: line.status.contextShare > 0.85 ? Theme.danger : Theme.mutedText
                groove: Theme.line
            }
            Text {
                anchors.verticalCenter: parent.verticalCenter
                width: Math.min(implicitWidth, line.width - 2 * Theme.xl)
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize - 1
                textFormat: Text.PlainText
                text: line.status.text
                wrapMode: Text.Wrap
                maximumLineCount: 3
                elide: Text.ElideRight
            }
        }
        background: Item {
            FocusRing {
                shown: button.visualFocus
            }
        }
    }

    T.Popup {
        id: details
        objectName: "statusDetails"
        y: -height - Theme.xs
        x: (line.width - width) / 2
        width: Math.min(implicitContentWidth + 2 * padding, line.width)
        padding: Theme.m
        closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutside
        background: Rectangle {
            color: Theme.popup
            radius: Theme.radius
            border.color: Theme.line
        }
        contentItem: Column {
            spacing: Theme.xs

            Repeater {
                model: details.visible ? line.status.details : []
                delegate: Text {
                    required property string modelData

                    width: Math.min(implicitWidth, line.width - 2 * Theme.m)
                    text: modelData
                    textFormat: Text.PlainText
                    wrapMode: Text.Wrap
                    color: Theme.text
                    font.pixelSize: Theme.smallSize
                }
            }
            TextButton {
                objectName: "promptButton"
                text: line.actions.hint("prompt")
                onClicked: {
                    details.close();
                    line.actions.run("prompt");
                }
            }
        }
    }
}
