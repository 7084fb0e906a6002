// One sentence that matters now; stays until it is read or no longer true.
import QtQuick
import QtQuick.Layouts
import Inglenook

Item {
    id: banner

    required property Notices notices

    objectName: "banner"
    visible: notices.banner.length > 0
    implicitHeight: visible ? box.height + Theme.s : 0

    Rectangle {
        id: box
        anchors.horizontalCenter: parent.horizontalCenter
        width: Math.min(Theme.columnWidth + 2 * Theme.s, parent.width - 2 * Theme.s)
        height: row.implicitHeight + Theme.s
        radius: Theme.radius
        color: Theme.warningSurface

        RowLayout {
            id: row
            x: Theme.m
            y: Theme.xs
            width: parent.width - Theme.m - Theme.xs
            spacing: Theme.s

            Text {
                Layout.fillWidth: true
                text: banner.notices.banner
                textFormat: Text.PlainText
                color: Theme.text
                font.pixelSize: Theme.smallSize
                wrapMode: Text.Wrap
                Accessible.role: Accessible.AlertMessage
                Accessible.name: text
            }
            TextButton {
                objectName: "bannerAction"
                visible: text.length > 0
                text: banner.notices.bannerAction
                onClicked: banner.notices.runBannerAction()
            }
            IconButton {
                iconName: "close"
                hint: qsTr("Dismiss")
                onClicked: banner.notices.dismissBanner()
            }
        }
    }
}
