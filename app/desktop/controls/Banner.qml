// One sentence that matters now; stays until it is read or no longer true.
import QtQuick
import QtQuick.Layouts
import Inglenook

Item {
    id: banner

    required property Notices notices
    required property DesktopPortal portal

    objectName: "banner"
    visible: notices.banner.length > 0
    implicitHeight: visible ? box.height + Theme.s : 0

    Rectangle {
        id: box
        anchors.horizontalCenter: parent.horizontalCenter
        width: Math.min(Theme.columnWidth + 2 * Theme.s, parent.width - 2 * Theme.s)
        height: column.implicitHeight + Theme.s
        radius: Theme.radius
        color: Theme.warningSurface

        // Not a layout: one inside another would keep the height of a sentence that needs fewer lines now.
        Column {
            id: column
            x: Theme.m
            y: Theme.xs
            width: parent.width - Theme.m - Theme.xs

            RowLayout {
                width: parent.width
                spacing: Theme.s

                Text {
                    objectName: "bannerText"
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
                    objectName: "dismissBanner"
                    iconName: "close"
                    hint: qsTr("Dismiss")
                    onClicked: banner.notices.dismissBanner()
                }
            }
            ErrorDetails {
                x: -Theme.xs
                width: parent.width - Theme.s
                portal: banner.portal
                words: banner.notices.bannerDetails
            }
        }
    }
}
